// order.cu -- sort, topk, histogram: numbers as unsigned keys, lines of keys in shared memory

// ---- order_of_float
// A float as an unsigned key in the same order: -0 below +0, NaN above all. INF: infinity's bits.
template <typename U, U INF, typename T>
static __device__ __forceinline__ U order_of_float(T x)
{
    constexpr U sign = (U)((U)1 << (8 * sizeof(U) - 1));
    const U bits = bit_cast<U>(x);
    if ((U)(bits & (U)~sign) > INF)
        return (U)~(U)0;
    return bits & sign ? (U)~bits : (U)(bits | sign);
}

// ---- float_in_order
// The float of a key of order_of_float.
template <typename T, typename U>
static __device__ __forceinline__ T float_in_order(U key)
{
    constexpr U sign = (U)((U)1 << (8 * sizeof(U) - 1));
    return bit_cast<T>(key & sign ? (U)(key ^ sign) : (U)~key);
}

// ---- order_of_int
// A signed integer as an unsigned key in the same order.
template <typename U, typename T>
static __device__ __forceinline__ U order_of_int(T x)
{
    return (U)((U)x ^ (U)((U)1 << (8 * sizeof(U) - 1)));
}

// ---- int_in_order
// The integer of a key of order_of_int.
template <typename T, typename U>
static __device__ __forceinline__ T int_in_order(U key)
{
    return (T)(U)(key ^ (U)((U)1 << (8 * sizeof(U) - 1)));
}

// ---- ranked
// A key and its place as one number: the largest key comes first, of equals the first place.
static __device__ __forceinline__ uint64_t ranked(uint32_t key, int place)
{
    return (uint64_t)~key << 32 | (uint32_t)place;
}

// ---- key_of_rank
// The key of a ranked number; its place is the low 32 bits.
template <typename U>
static __device__ __forceinline__ U key_of_rank(uint64_t rank)
{
    return (U)~(uint32_t)(rank >> 32);
}

// ---- LongRank
// A key of 64 bits, upside down, and its place, in the order of ranked().
struct LongRank {
    uint64_t key;
    uint32_t place;
};

static __device__ __forceinline__ bool operator<(const LongRank &a, const LongRank &b)
{
    return a.key != b.key ? a.key < b.key : a.place < b.place;
}

// ---- sort_lines
// Sorts LINES lines of N keys in shared memory, the smallest first: a bitonic network of which
// every comparison puts the smaller key in front, so that what lies past N, larger than all, would
// never move. HALF: pairs of a line, a power of two. All threads of the block take part; a warp
// has 32 neighbouring pairs in each step, so that up to 32 apart it works on keys of its own.
template <int N, int HALF, int LINES, int THREADS, typename T>
static __device__ __forceinline__ void sort_lines(T *keys, int thread)
{
    __syncthreads();                            // the keys are written
    for (int size = 1; size < N; size *= 2)     // sorted runs of `size` become ones of 2 * size
        for (int step = size; step > 0; step /= 2) {
            const int next = step > 1 ? step / 2 : 2 * size;
            for (int i = thread; i < LINES * HALF; i += THREADS) {
                T *const line = keys + i / HALF * N;
                const int inner = i % HALF % step, low = (i % HALF - inner) * 2 + inner;
                const int high = low + (step == size ? 2 * (step - inner) - 1 : step);
                if (high < N) {
                    const T a = line[low], b = line[high];
                    if (b < a) {
                        line[low] = b;
                        line[high] = a;
                    }
                }
            }
            if (step > 32 || next > 32 || next >= N)
                __syncthreads();                // other warps read what this step wrote
            else
                __syncwarp();                   // only this warp does
        }
}

// ---- sort_here
// Sorts N keys in the thread's registers, by the network of sort_lines.
template <int N, typename T>
static __device__ __forceinline__ void sort_here(T (&keys)[N])
{
#pragma unroll
    for (int size = 1; size < N; size *= 2)
#pragma unroll
        for (int step = size; step > 0; step /= 2)
#pragma unroll
            for (int pair = 0; pair < N; pair++) {
                const int inner = pair % step, low = (pair - inner) * 2 + inner;
                const int high = low + (step == size ? 2 * (step - inner) - 1 : step);
                if (low < N && high < N && keys[high] < keys[low]) {
                    const T smaller = keys[high];
                    keys[high] = keys[low];
                    keys[low] = smaller;
                }
            }
}

// ---- count_in
// Adds 1 to the bin of a value, if it has one of BINS.
template <int BINS, typename T>
static __device__ __forceinline__ void count_in(int32_t *bins, T value)
{
    if ((uint64_t)value < BINS)
        atomicAdd(&bins[value], 1);
}
