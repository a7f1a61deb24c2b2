// debug.cu -- numbers and tiles as text

// ---- plain_number
// A number as printf takes it; NaN without a sign.
template <typename T>
static __device__ __forceinline__ double plain_number(T x)
{
    return x == x ? (double)x : (double)NAN;
}

// ---- print_number
// One element of a tile.
template <typename T>
static __device__ void print_number(T x)
{
    if constexpr ((T)0.5 != (T)0)
        printf("%g", plain_number(x));
    else if constexpr ((T)-1 < (T)1)
        printf("%lld", (long long)x);
    else
        printf("%llu", (unsigned long long)x);
}

// ---- print_tile
// A tile in row-major order, each axis in brackets.
template <int... EXTENTS, typename T>
static __device__ void print_tile(const T *at)
{
    constexpr int extent[] = {EXTENTS...}, rank = sizeof extent / sizeof *extent;
    int count = 1;
    for (int a = 0; a < rank; a++)
        count *= extent[a];
    for (int i = 0; i < count; i++) {
        int opened = 0, closed = 0, inner = 1;
        for (int a = rank - 1; a >= 0; a--) {
            inner *= extent[a];
            opened += i % inner == 0;
            closed += (i + 1) % inner == 0;
        }
        for (; opened > 0; opened--)
            printf("[");
        print_number(at[i]);
        for (; closed > 0; closed--)
            printf("]");
        if (i < count - 1)
            printf(", ");
    }
}
