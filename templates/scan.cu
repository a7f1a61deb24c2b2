// scan.cu -- partial results that meet in the order of their elements, by a function of the program

// ---- Met
// What the threads before this one hold, and what those of the whole group do.
template <typename T>
struct Met { T before, all; };

// ---- lane_value
// The value that another lane of the warp holds, of any type: word by word.
template <typename T>
static __device__ __forceinline__ T lane_value(const T &v, int lane)
{
    unsigned words[(sizeof(T) + 3) / 4] = {};
    memcpy(words, (const void *)&v, sizeof(T));
    for (unsigned &word : words)
        word = __shfl_sync(0xffffffff, word, lane);
    T other;
    memcpy((void *)&other, words, sizeof(T));
    return other;
}

// ---- warp_scan
// The values of a group of lanes, SPAN of them, STEP apart, combined by f in their order (from the
// last one on if BACK): those before this lane, `none` if there are none, and all.
template <int SPAN, int STEP, bool BACK, typename T, typename F>
static __device__ __forceinline__ Met<T> warp_scan(T v, const T &none, F f)
{
    if (SPAN == 1)
        return { none, v };
    const int lane = threadIdx.x % 32, place = lane / STEP % SPAN;
    const int n = BACK ? SPAN - 1 - place : place, forth = BACK ? STEP : -STEP;
    for (int step = 1; step < SPAN; step *= 2) {
        const T a = lane_value(v, n >= step ? lane + step * forth : lane);
        if (n >= step)
            v = f(a, v);
    }
    const T a = lane_value(v, n ? lane + forth : lane);
    return { n ? a : none, lane_value(v, lane + (n - (SPAN - 1)) * forth) };
}

// ---- block_scan
// The same for a group that spans WARPS warps: each warp's own group, then `parts`, which hold one
// slot for each group of a warp. Nobody may still be reading parts from before; one barrier.
template <int SPAN, int STEP, int WARPS, bool BACK, typename T, typename F>
static __device__ __forceinline__ Met<T> block_scan(T v, const T &none, F f, T *parts)
{
    constexpr int GROUPS = STEP < 32 ? STEP : 32;     // of a warp
    const Met<T> warp = warp_scan<SPAN, STEP, BACK>(v, none, f);
    const int slot = threadIdx.x / 32 * GROUPS + threadIdx.x % GROUPS;
    const int mine = slot / STEP % WARPS;
    if (threadIdx.x % 32 / STEP == 0)
        parts[slot] = warp.all;
    __syncthreads();                            // the parts are written before anyone reads them
    Met<T> met = { none, none };
    for (int i = 0; i < WARPS; i++) {
        const int other = BACK ? WARPS - 1 - i : i;
        if (other == mine)
            met.before = met.all;
        met.all = f(met.all, parts[slot + (other - mine) * STEP]);
    }
    met.before = f(met.before, warp.before);
    return met;
}
