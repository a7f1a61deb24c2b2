// access.cu -- several elements at once, bounds, casts that need care

// ---- Vec
// N elements that move together: one access of up to 16 bytes, more for more.
template <typename T, int N>
struct __align__(sizeof(T) * N < 16 ? sizeof(T) * N : 16) Vec {
    T at[N];
};

// ---- load_vec
// Loads N neighbours in as few accesses as they need.
template <typename T, int N>
static __device__ __forceinline__ void load_vec(T (&to)[N], const T *from)
{
    const Vec<T, N> v = *(const Vec<T, N> *)from;
#pragma unroll
    for (int c = 0; c < N; c++)
        to[c] = v.at[c];
}

// ---- store_vec
// Stores N neighbours in as few accesses as they need.
template <typename T, int N>
static __device__ __forceinline__ void store_vec(T *to, const T (&from)[N])
{
    Vec<T, N> v;
#pragma unroll
    for (int c = 0; c < N; c++)
        v.at[c] = from[c];
    *(Vec<T, N> *)to = v;
}

// ---- fill_vec
// N times the same value, where there is nothing to load.
template <typename T, int N, typename V>
static __device__ __forceinline__ void fill_vec(T (&to)[N], V value)
{
#pragma unroll
    for (int c = 0; c < N; c++)
        to[c] = (T)value;
}

// ---- load_keep
// Loads N neighbours that will be read again; `otherwise` where there are none.
template <typename T, int N>
static __device__ __forceinline__ void load_keep(T (&to)[N], const T *from, bool there, T otherwise)
{
    if (sizeof(T) * N == 16) {
        Vec<T, N> v;
        fill_vec(v.at, otherwise);
        const uint4 bits = ldg_keep((const uint4 *)from, there, *(const uint4 *)v.at);
        v = *(const Vec<T, N> *)&bits;
#pragma unroll
        for (int c = 0; c < N; c++)
            to[c] = v.at[c];
    } else {
#pragma unroll
        for (int c = 0; c < N; c++)
            to[c] = there ? from[c] : otherwise;
    }
}

// ---- load_last
// Loads N neighbours for the last time; `otherwise` where there are none.
template <typename T, int N>
static __device__ __forceinline__ void load_last(T (&to)[N], const T *from, bool there, T otherwise)
{
    if (sizeof(T) * N == 16) {
        Vec<T, N> v;
        fill_vec(v.at, otherwise);
        const uint4 bits = ldg_last((const uint4 *)from, there, *(const uint4 *)v.at);
        v = *(const Vec<T, N> *)&bits;
#pragma unroll
        for (int c = 0; c < N; c++)
            to[c] = v.at[c];
    } else {
#pragma unroll
        for (int c = 0; c < N; c++)
            to[c] = there ? from[c] : otherwise;
    }
}

// ---- tile_clip
// How many of a tile's `extent` places lie before an edge that is `left` away.
static __device__ __forceinline__ int tile_clip(int64_t left, int extent)
{
    return left < 0 ? 0 : left < extent ? (int)left : extent;
}

// ---- tile_trips
// How often `for k in from..to step` runs: 0 for a step of 0.
static __device__ __forceinline__ int64_t tile_trips(int64_t from, int64_t to, int64_t step)
{
    if (step > 0 && from < to)
        return (int64_t)(((uint64_t)to - (uint64_t)from - 1) / (uint64_t)step + 1);
    if (step < 0 && from > to)
        return (int64_t)(((uint64_t)from - (uint64_t)to - 1) / (0 - (uint64_t)step) + 1);
    return 0;
}

// ---- saturate_cast
// A float to an integer: towards zero, held at the type's ends, NaN to 0.
template <typename To, typename From>
static __device__ __forceinline__ To saturate_cast(From x)
{
    constexpr bool is_signed = (To)-1 < (To)1;
    constexpr To high = (To)(is_signed ? ((uint64_t)1 << (8 * sizeof(To) - 1)) - 1 : ~(uint64_t)0);
    constexpr To low = is_signed ? (To)(-high - 1) : (To)0;
    const From above = (From)((uint64_t)1 << (8 * sizeof(To) - 1)) * (is_signed ? 1 : 2);
    if (!(x == x))
        return 0;
    return x >= above ? high : x <= (is_signed ? -above : (From)0) ? low : (To)x;
}

// ---- sticky_double
// A 64-bit integer as a double whose last bit tells whether anything was cut off, so that
// rounding it to a narrower type rounds once.
template <typename T>
static __device__ __forceinline__ double sticky_double(T x)
{
    if (fabs((double)x) < 9007199254740992.0)
        return (double)x;                       // up to 2^53 a double holds every integer
    const T cut = (T)(x & (T)2047);
    return (double)(T)((x - cut) | (cut != 0 ? (T)2048 : (T)0));
}

// ---- round_tf32
// To the 10 fraction bits of tf32, ties to even; NaN and infinities stay.
static __device__ __forceinline__ float round_tf32(float x)
{
    const uint32_t bits = __float_as_uint(x);
    if ((bits & 0x7f800000u) == 0x7f800000u)
        return x;
    return __uint_as_float((bits + 0xfffu + (bits >> 13 & 1u)) & 0xffffe000u);
}

// ---- odd_float
// A double as a float whose last bit tells whether anything was cut off, so that rounding it to a
// narrower type rounds once.
static __device__ __forceinline__ float odd_float(double x)
{
    const float cut = __double2float_rz(x);
    return (double)cut == x || !(x == x) ? cut : __uint_as_float(__float_as_uint(cut) | 1u);
}

// ---- bit_cast
// The same bytes as another type.
template <typename To, typename From>
static __device__ __forceinline__ To bit_cast(From x)
{
    static_assert(sizeof(To) == sizeof(From), "bit_cast keeps the size");
    To to;
    memcpy(&to, &x, sizeof to);
    return to;
}

// ---- round_digits
// x with DIGITS binary digits, none of them below 2^LEAST: toward zero, up (WAY 1) or down (-1).
template <int DIGITS, int LEAST, int WAY>
static __device__ __forceinline__ float round_digits(float x)
{
    if (!isfinite(x) || x == 0.0f)
        return x;
    const int first = ilogbf(x) - DIGITS + 1, last = first > LEAST ? first : LEAST;
    const float whole = ldexpf(x, -last);
    return ldexpf(WAY > 0 ? ceilf(whole) : WAY < 0 ? floorf(whole) : truncf(whole), last);
}

// ---- smem
// Dynamic shared memory: a block has as many bytes of it as its launch asks for.
extern __shared__ __align__(1024) unsigned char smem[];
