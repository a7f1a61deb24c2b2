// atomic.cu -- atomic operations on types for which CUDA has none of its own

// ---- atomic_add_64
// Adds to a 64-bit integer, which wraps; gives what was there.
template <typename T>
static __device__ __forceinline__ T atomic_add_64(T *at, T value)
{
    return (T)atomicAdd((unsigned long long *)at, (unsigned long long)value);
}

// ---- atomic_and_64
// And of each bit of a 64-bit integer; gives what was there.
template <typename T>
static __device__ __forceinline__ T atomic_and_64(T *at, T value)
{
    return (T)atomicAnd((unsigned long long *)at, (unsigned long long)value);
}

// ---- atomic_or_64
// Or of each bit of a 64-bit integer; gives what was there.
template <typename T>
static __device__ __forceinline__ T atomic_or_64(T *at, T value)
{
    return (T)atomicOr((unsigned long long *)at, (unsigned long long)value);
}

// ---- atomic_xor_64
// Exclusive or of each bit of a 64-bit integer; gives what was there.
template <typename T>
static __device__ __forceinline__ T atomic_xor_64(T *at, T value)
{
    return (T)atomicXor((unsigned long long *)at, (unsigned long long)value);
}

// ---- atomic_max_64
// The larger of two 64-bit integers; gives what was there.
template <typename T>
static __device__ __forceinline__ T atomic_max_64(T *at, T value)
{
    if (is_negative((T)-1))
        return (T)atomicMax((long long *)at, (long long)value);
    return (T)atomicMax((unsigned long long *)at, (unsigned long long)value);
}

// ---- atomic_min_64
// The smaller of two 64-bit integers; gives what was there.
template <typename T>
static __device__ __forceinline__ T atomic_min_64(T *at, T value)
{
    if (is_negative((T)-1))
        return (T)atomicMin((long long *)at, (long long)value);
    return (T)atomicMin((unsigned long long *)at, (unsigned long long)value);
}

// ---- atomic_exchange_64
// Puts a value of 64 bits there; gives what was there.
template <typename T>
static __device__ __forceinline__ T atomic_exchange_64(T *at, T value)
{
    return bit_cast<T>(atomicExch((unsigned long long *)at, bit_cast<unsigned long long>(value)));
}

// ---- atomic_change
// Makes the element change(old, value), in one step, and gives what was there.
template <typename BITS, typename T, typename CHANGE>
static __device__ __forceinline__ T atomic_change(T *at, T value, CHANGE change)
{
    BITS seen = atomicCAS((BITS *)at, (BITS)0, (BITS)0), was;      // reads
    do {
        was = seen;
        const BITS next = bit_cast<BITS>(change(bit_cast<T>(was), value));
        if (next != was)
            seen = atomicCAS((BITS *)at, was, next);
    } while (seen != was);                         // another thread was quicker: once more
    return bit_cast<T>(was);
}

// ---- atomic_exchange_16
// Puts a value of 16 bits there; gives what was there.
template <typename T>
static __device__ __forceinline__ T atomic_exchange_16(T *at, T value)
{
    return atomic_change<unsigned short>(at, value, [](T, T v) { return v; });
}

// ---- atomic_max_f32
// The larger of two; NaN propagates and +0 is above -0. Gives what was there.
static __device__ __forceinline__ float atomic_max_f32(float *at, float value)
{
    return atomic_change<unsigned>(at, value, [](float a, float b) { return max_nan(a, b); });
}

// ---- atomic_min_f32
// The smaller of two; NaN propagates and -0 is below +0. Gives what was there.
static __device__ __forceinline__ float atomic_min_f32(float *at, float value)
{
    return atomic_change<unsigned>(at, value, [](float a, float b) { return min_nan(a, b); });
}

// ---- atomic_max_f64
// The larger of two; NaN propagates and +0 is above -0. Gives what was there.
static __device__ __forceinline__ double atomic_max_f64(double *at, double value)
{
    return atomic_change<unsigned long long>(
        at, value, [](double a, double b) { return max_nan_f64(a, b); });
}

// ---- atomic_min_f64
// The smaller of two; NaN propagates and -0 is below +0. Gives what was there.
static __device__ __forceinline__ double atomic_min_f64(double *at, double value)
{
    return atomic_change<unsigned long long>(
        at, value, [](double a, double b) { return min_nan_f64(a, b); });
}

// ---- atomic_max_16
// The larger of two 16-bit floats; NaN propagates and +0 is above -0. Gives what was there.
template <typename T>
static __device__ __forceinline__ T atomic_max_16(T *at, T value)
{
    return atomic_change<unsigned short>(
        at, value, [](T a, T b) { return (T)max_nan((float)a, (float)b); });
}

// ---- atomic_min_16
// The smaller of two 16-bit floats; NaN propagates and -0 is below +0. Gives what was there.
template <typename T>
static __device__ __forceinline__ T atomic_min_16(T *at, T value)
{
    return atomic_change<unsigned short>(
        at, value, [](T a, T b) { return (T)min_nan((float)a, (float)b); });
}
