// reduce.cu -- partial results that meet: lanes of a warp, warps of a block

// ---- warp_sum
// Every lane gets the sum of the values of its group: SPAN lanes, STEP apart.
template <int SPAN = 32, int STEP = 1, typename T>
static __device__ __forceinline__ T warp_sum(T a)
{
    for (int step = SPAN / 2 * STEP; step >= STEP; step /= 2) {
        const T b = __shfl_xor_sync(0xffffffff, a, step);
        a = a + b;
    }
    return a;
}

// ---- block_sum
// Every thread gets the sum of the block's values; one slot of parts a warp, one barrier.
// Nobody may still be reading parts from before.
template <int WARPS, typename T>
static __device__ __forceinline__ T block_sum(T v, T *parts)
{
    v = warp_sum(v);
    if (threadIdx.x % 32 == 0)
        parts[threadIdx.x / 32] = v;
    __syncthreads();                            // the slots are written before anyone reads them
    T a = parts[0];
    for (int w = 1; w < WARPS; w++) {
        const T b = parts[w];
        a = a + b;
    }
    return a;
}

// ---- across_sum
// Every thread gets the sum of its group's slots:
// COUNT threads, STEP apart, whose parts are written.
template <int COUNT, int STEP, typename T>
static __device__ __forceinline__ T across_sum(T, const T *parts)
{
    const T *group = parts + (threadIdx.x - threadIdx.x / STEP % COUNT * STEP);
    T a = group[0];
    for (int i = 1; i < COUNT; i++) {
        const T b = group[i * STEP];
        a = a + b;
    }
    return a;
}

// ---- warp_product
// Every lane gets the product of the values of its group: SPAN lanes, STEP apart.
template <int SPAN = 32, int STEP = 1, typename T>
static __device__ __forceinline__ T warp_product(T a)
{
    for (int step = SPAN / 2 * STEP; step >= STEP; step /= 2) {
        const T b = __shfl_xor_sync(0xffffffff, a, step);
        a = a * b;
    }
    return a;
}

// ---- block_product
// Every thread gets the product of the block's values; one slot of parts a warp, one barrier.
// Nobody may still be reading parts from before.
template <int WARPS, typename T>
static __device__ __forceinline__ T block_product(T v, T *parts)
{
    v = warp_product(v);
    if (threadIdx.x % 32 == 0)
        parts[threadIdx.x / 32] = v;
    __syncthreads();                            // the slots are written before anyone reads them
    T a = parts[0];
    for (int w = 1; w < WARPS; w++) {
        const T b = parts[w];
        a = a * b;
    }
    return a;
}

// ---- across_product
// Every thread gets the product of its group's slots:
// COUNT threads, STEP apart, whose parts are written.
template <int COUNT, int STEP, typename T>
static __device__ __forceinline__ T across_product(T, const T *parts)
{
    const T *group = parts + (threadIdx.x - threadIdx.x / STEP % COUNT * STEP);
    T a = group[0];
    for (int i = 1; i < COUNT; i++) {
        const T b = group[i * STEP];
        a = a * b;
    }
    return a;
}

// ---- warp_max
// Every lane gets the largest of the values of its group: SPAN lanes, STEP apart.
template <int SPAN = 32, int STEP = 1, typename T>
static __device__ __forceinline__ T warp_max(T a)
{
    for (int step = SPAN / 2 * STEP; step >= STEP; step /= 2) {
        const T b = __shfl_xor_sync(0xffffffff, a, step);
        a = max_int<T>(a, b);
    }
    return a;
}

// ---- block_max
// Every thread gets the largest of the block's values; one slot of parts a warp, one barrier.
// Nobody may still be reading parts from before.
template <int WARPS, typename T>
static __device__ __forceinline__ T block_max(T v, T *parts)
{
    v = warp_max(v);
    if (threadIdx.x % 32 == 0)
        parts[threadIdx.x / 32] = v;
    __syncthreads();                            // the slots are written before anyone reads them
    T a = parts[0];
    for (int w = 1; w < WARPS; w++) {
        const T b = parts[w];
        a = max_int<T>(a, b);
    }
    return a;
}

// ---- across_max
// Every thread gets the largest of its group's slots:
// COUNT threads, STEP apart, whose parts are written.
template <int COUNT, int STEP, typename T>
static __device__ __forceinline__ T across_max(T, const T *parts)
{
    const T *group = parts + (threadIdx.x - threadIdx.x / STEP % COUNT * STEP);
    T a = group[0];
    for (int i = 1; i < COUNT; i++) {
        const T b = group[i * STEP];
        a = max_int<T>(a, b);
    }
    return a;
}

// ---- warp_min
// Every lane gets the smallest of the values of its group: SPAN lanes, STEP apart.
template <int SPAN = 32, int STEP = 1, typename T>
static __device__ __forceinline__ T warp_min(T a)
{
    for (int step = SPAN / 2 * STEP; step >= STEP; step /= 2) {
        const T b = __shfl_xor_sync(0xffffffff, a, step);
        a = min_int<T>(a, b);
    }
    return a;
}

// ---- block_min
// Every thread gets the smallest of the block's values; one slot of parts a warp, one barrier.
// Nobody may still be reading parts from before.
template <int WARPS, typename T>
static __device__ __forceinline__ T block_min(T v, T *parts)
{
    v = warp_min(v);
    if (threadIdx.x % 32 == 0)
        parts[threadIdx.x / 32] = v;
    __syncthreads();                            // the slots are written before anyone reads them
    T a = parts[0];
    for (int w = 1; w < WARPS; w++) {
        const T b = parts[w];
        a = min_int<T>(a, b);
    }
    return a;
}

// ---- across_min
// Every thread gets the smallest of its group's slots:
// COUNT threads, STEP apart, whose parts are written.
template <int COUNT, int STEP, typename T>
static __device__ __forceinline__ T across_min(T, const T *parts)
{
    const T *group = parts + (threadIdx.x - threadIdx.x / STEP % COUNT * STEP);
    T a = group[0];
    for (int i = 1; i < COUNT; i++) {
        const T b = group[i * STEP];
        a = min_int<T>(a, b);
    }
    return a;
}

// ---- warp_max_nan
// Every lane gets the largest, or NaN of the values of its group: SPAN lanes, STEP apart.
template <int SPAN = 32, int STEP = 1, typename T>
static __device__ __forceinline__ T warp_max_nan(T a)
{
    for (int step = SPAN / 2 * STEP; step >= STEP; step /= 2) {
        const T b = __shfl_xor_sync(0xffffffff, a, step);
        a = max_nan(a, b);
    }
    return a;
}

// ---- block_max_nan
// Every thread gets the largest, or NaN of the block's values;
// one slot of parts a warp, one barrier.
// Nobody may still be reading parts from before.
template <int WARPS, typename T>
static __device__ __forceinline__ T block_max_nan(T v, T *parts)
{
    v = warp_max_nan(v);
    if (threadIdx.x % 32 == 0)
        parts[threadIdx.x / 32] = v;
    __syncthreads();                            // the slots are written before anyone reads them
    T a = parts[0];
    for (int w = 1; w < WARPS; w++) {
        const T b = parts[w];
        a = max_nan(a, b);
    }
    return a;
}

// ---- across_max_nan
// Every thread gets the largest, or NaN of its group's slots:
// COUNT threads, STEP apart, whose parts are written.
template <int COUNT, int STEP, typename T>
static __device__ __forceinline__ T across_max_nan(T, const T *parts)
{
    const T *group = parts + (threadIdx.x - threadIdx.x / STEP % COUNT * STEP);
    T a = group[0];
    for (int i = 1; i < COUNT; i++) {
        const T b = group[i * STEP];
        a = max_nan(a, b);
    }
    return a;
}

// ---- warp_min_nan
// Every lane gets the smallest, or NaN of the values of its group: SPAN lanes, STEP apart.
template <int SPAN = 32, int STEP = 1, typename T>
static __device__ __forceinline__ T warp_min_nan(T a)
{
    for (int step = SPAN / 2 * STEP; step >= STEP; step /= 2) {
        const T b = __shfl_xor_sync(0xffffffff, a, step);
        a = min_nan(a, b);
    }
    return a;
}

// ---- block_min_nan
// Every thread gets the smallest, or NaN of the block's values;
// one slot of parts a warp, one barrier.
// Nobody may still be reading parts from before.
template <int WARPS, typename T>
static __device__ __forceinline__ T block_min_nan(T v, T *parts)
{
    v = warp_min_nan(v);
    if (threadIdx.x % 32 == 0)
        parts[threadIdx.x / 32] = v;
    __syncthreads();                            // the slots are written before anyone reads them
    T a = parts[0];
    for (int w = 1; w < WARPS; w++) {
        const T b = parts[w];
        a = min_nan(a, b);
    }
    return a;
}

// ---- across_min_nan
// Every thread gets the smallest, or NaN of its group's slots:
// COUNT threads, STEP apart, whose parts are written.
template <int COUNT, int STEP, typename T>
static __device__ __forceinline__ T across_min_nan(T, const T *parts)
{
    const T *group = parts + (threadIdx.x - threadIdx.x / STEP % COUNT * STEP);
    T a = group[0];
    for (int i = 1; i < COUNT; i++) {
        const T b = group[i * STEP];
        a = min_nan(a, b);
    }
    return a;
}

// ---- warp_max_nan_f64
// Every lane gets the largest, or NaN of the values of its group: SPAN lanes, STEP apart.
template <int SPAN = 32, int STEP = 1, typename T>
static __device__ __forceinline__ T warp_max_nan_f64(T a)
{
    for (int step = SPAN / 2 * STEP; step >= STEP; step /= 2) {
        const T b = __shfl_xor_sync(0xffffffff, a, step);
        a = max_nan_f64(a, b);
    }
    return a;
}

// ---- block_max_nan_f64
// Every thread gets the largest, or NaN of the block's values;
// one slot of parts a warp, one barrier.
// Nobody may still be reading parts from before.
template <int WARPS, typename T>
static __device__ __forceinline__ T block_max_nan_f64(T v, T *parts)
{
    v = warp_max_nan_f64(v);
    if (threadIdx.x % 32 == 0)
        parts[threadIdx.x / 32] = v;
    __syncthreads();                            // the slots are written before anyone reads them
    T a = parts[0];
    for (int w = 1; w < WARPS; w++) {
        const T b = parts[w];
        a = max_nan_f64(a, b);
    }
    return a;
}

// ---- across_max_nan_f64
// Every thread gets the largest, or NaN of its group's slots:
// COUNT threads, STEP apart, whose parts are written.
template <int COUNT, int STEP, typename T>
static __device__ __forceinline__ T across_max_nan_f64(T, const T *parts)
{
    const T *group = parts + (threadIdx.x - threadIdx.x / STEP % COUNT * STEP);
    T a = group[0];
    for (int i = 1; i < COUNT; i++) {
        const T b = group[i * STEP];
        a = max_nan_f64(a, b);
    }
    return a;
}

// ---- warp_min_nan_f64
// Every lane gets the smallest, or NaN of the values of its group: SPAN lanes, STEP apart.
template <int SPAN = 32, int STEP = 1, typename T>
static __device__ __forceinline__ T warp_min_nan_f64(T a)
{
    for (int step = SPAN / 2 * STEP; step >= STEP; step /= 2) {
        const T b = __shfl_xor_sync(0xffffffff, a, step);
        a = min_nan_f64(a, b);
    }
    return a;
}

// ---- block_min_nan_f64
// Every thread gets the smallest, or NaN of the block's values;
// one slot of parts a warp, one barrier.
// Nobody may still be reading parts from before.
template <int WARPS, typename T>
static __device__ __forceinline__ T block_min_nan_f64(T v, T *parts)
{
    v = warp_min_nan_f64(v);
    if (threadIdx.x % 32 == 0)
        parts[threadIdx.x / 32] = v;
    __syncthreads();                            // the slots are written before anyone reads them
    T a = parts[0];
    for (int w = 1; w < WARPS; w++) {
        const T b = parts[w];
        a = min_nan_f64(a, b);
    }
    return a;
}

// ---- across_min_nan_f64
// Every thread gets the smallest, or NaN of its group's slots:
// COUNT threads, STEP apart, whose parts are written.
template <int COUNT, int STEP, typename T>
static __device__ __forceinline__ T across_min_nan_f64(T, const T *parts)
{
    const T *group = parts + (threadIdx.x - threadIdx.x / STEP % COUNT * STEP);
    T a = group[0];
    for (int i = 1; i < COUNT; i++) {
        const T b = group[i * STEP];
        a = min_nan_f64(a, b);
    }
    return a;
}

// ---- warp_any
// Every lane gets the or of the values of its group: SPAN lanes, STEP apart.
template <int SPAN = 32, int STEP = 1, typename T>
static __device__ __forceinline__ T warp_any(T a)
{
    for (int step = SPAN / 2 * STEP; step >= STEP; step /= 2) {
        const T b = __shfl_xor_sync(0xffffffff, a, step);
        a = a | b;
    }
    return a;
}

// ---- block_any
// Every thread gets the or of the block's values; one slot of parts a warp, one barrier.
// Nobody may still be reading parts from before.
template <int WARPS, typename T>
static __device__ __forceinline__ T block_any(T v, T *parts)
{
    v = warp_any(v);
    if (threadIdx.x % 32 == 0)
        parts[threadIdx.x / 32] = v;
    __syncthreads();                            // the slots are written before anyone reads them
    T a = parts[0];
    for (int w = 1; w < WARPS; w++) {
        const T b = parts[w];
        a = a | b;
    }
    return a;
}

// ---- across_any
// Every thread gets the or of its group's slots:
// COUNT threads, STEP apart, whose parts are written.
template <int COUNT, int STEP, typename T>
static __device__ __forceinline__ T across_any(T, const T *parts)
{
    const T *group = parts + (threadIdx.x - threadIdx.x / STEP % COUNT * STEP);
    T a = group[0];
    for (int i = 1; i < COUNT; i++) {
        const T b = group[i * STEP];
        a = a | b;
    }
    return a;
}

// ---- warp_all
// Every lane gets the and of the values of its group: SPAN lanes, STEP apart.
template <int SPAN = 32, int STEP = 1, typename T>
static __device__ __forceinline__ T warp_all(T a)
{
    for (int step = SPAN / 2 * STEP; step >= STEP; step /= 2) {
        const T b = __shfl_xor_sync(0xffffffff, a, step);
        a = a & b;
    }
    return a;
}

// ---- block_all
// Every thread gets the and of the block's values; one slot of parts a warp, one barrier.
// Nobody may still be reading parts from before.
template <int WARPS, typename T>
static __device__ __forceinline__ T block_all(T v, T *parts)
{
    v = warp_all(v);
    if (threadIdx.x % 32 == 0)
        parts[threadIdx.x / 32] = v;
    __syncthreads();                            // the slots are written before anyone reads them
    T a = parts[0];
    for (int w = 1; w < WARPS; w++) {
        const T b = parts[w];
        a = a & b;
    }
    return a;
}

// ---- across_all
// Every thread gets the and of its group's slots:
// COUNT threads, STEP apart, whose parts are written.
template <int COUNT, int STEP, typename T>
static __device__ __forceinline__ T across_all(T, const T *parts)
{
    const T *group = parts + (threadIdx.x - threadIdx.x / STEP % COUNT * STEP);
    T a = group[0];
    for (int i = 1; i < COUNT; i++) {
        const T b = group[i * STEP];
        a = a & b;
    }
    return a;
}

// ---- take_larger
// Takes value v at place i if it is the largest so far;
// NaN counts as the largest; of equals the first.
template <typename T, typename V>
static __device__ __forceinline__ void take_larger(T &best, int32_t &at, V value, int32_t i)
{
    const T v = (T)value;
    const bool nan = v != v, best_nan = best != best;
    const bool equal = v == best || (nan && best_nan);
    if (v > best || (nan && !best_nan) || (equal && i < at)) {
        best = v;
        at = i;
    }
}

// ---- warp_argmax
// Every lane gets the largest of its group's values and its place: SPAN lanes, STEP apart.
template <int SPAN = 32, int STEP = 1, typename T>
static __device__ __forceinline__ void warp_argmax(T &best, int32_t &at)
{
    for (int step = SPAN / 2 * STEP; step >= STEP; step /= 2) {
        const T v = __shfl_xor_sync(0xffffffff, best, step);
        const int32_t i = __shfl_xor_sync(0xffffffff, at, step);
        take_larger(best, at, v, i);
    }
}

// ---- block_argmax
// Every thread gets the largest of the block's values and its place; a slot a warp, one barrier.
// Nobody may still be reading the slots from before.
template <int WARPS, typename T>
static __device__ __forceinline__ void block_argmax(T &best, int32_t &at, T *parts,
                                                    int32_t *parts_at)
{
    warp_argmax(best, at);
    if (threadIdx.x % 32 == 0) {
        parts[threadIdx.x / 32] = best;
        parts_at[threadIdx.x / 32] = at;
    }
    __syncthreads();                            // the slots are written before anyone reads them
    for (int w = 0; w < WARPS; w++)
        take_larger(best, at, parts[w], parts_at[w]);
}

// ---- across_argmax
// Every thread gets the largest of its group's slots and its place: COUNT threads, STEP apart.
template <int COUNT, int STEP, typename T>
static __device__ __forceinline__ void across_argmax(T &best, int32_t &at, const T *parts,
                                                  const int32_t *parts_at)
{
    const int first = threadIdx.x - threadIdx.x / STEP % COUNT * STEP;
    for (int i = 0; i < COUNT; i++)
        take_larger(best, at, parts[first + i * STEP], parts_at[first + i * STEP]);
}

// ---- take_smaller
// Takes value v at place i if it is the smallest so far;
// NaN counts as the smallest; of equals the first.
template <typename T, typename V>
static __device__ __forceinline__ void take_smaller(T &best, int32_t &at, V value, int32_t i)
{
    const T v = (T)value;
    const bool nan = v != v, best_nan = best != best;
    const bool equal = v == best || (nan && best_nan);
    if (v < best || (nan && !best_nan) || (equal && i < at)) {
        best = v;
        at = i;
    }
}

// ---- warp_argmin
// Every lane gets the smallest of its group's values and its place: SPAN lanes, STEP apart.
template <int SPAN = 32, int STEP = 1, typename T>
static __device__ __forceinline__ void warp_argmin(T &best, int32_t &at)
{
    for (int step = SPAN / 2 * STEP; step >= STEP; step /= 2) {
        const T v = __shfl_xor_sync(0xffffffff, best, step);
        const int32_t i = __shfl_xor_sync(0xffffffff, at, step);
        take_smaller(best, at, v, i);
    }
}

// ---- block_argmin
// Every thread gets the smallest of the block's values and its place; a slot a warp, one barrier.
// Nobody may still be reading the slots from before.
template <int WARPS, typename T>
static __device__ __forceinline__ void block_argmin(T &best, int32_t &at, T *parts,
                                                    int32_t *parts_at)
{
    warp_argmin(best, at);
    if (threadIdx.x % 32 == 0) {
        parts[threadIdx.x / 32] = best;
        parts_at[threadIdx.x / 32] = at;
    }
    __syncthreads();                            // the slots are written before anyone reads them
    for (int w = 0; w < WARPS; w++)
        take_smaller(best, at, parts[w], parts_at[w]);
}

// ---- across_argmin
// Every thread gets the smallest of its group's slots and its place: COUNT threads, STEP apart.
template <int COUNT, int STEP, typename T>
static __device__ __forceinline__ void across_argmin(T &best, int32_t &at, const T *parts,
                                                  const int32_t *parts_at)
{
    const int first = threadIdx.x - threadIdx.x / STEP % COUNT * STEP;
    for (int i = 0; i < COUNT; i++)
        take_smaller(best, at, parts[first + i * STEP], parts_at[first + i * STEP]);
}
