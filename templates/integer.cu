// ---- tile_ceil
// a / b rounded up; by 0: 0; the lowest by -1 wraps.
static __host__ __device__ inline int64_t tile_ceil(int64_t a, int64_t b)
{
    if (b == 0 || b == -1)
        return (int64_t)((uint64_t)a * (uint64_t)b);
    return a / b + (a % b != 0 && (a < 0) == (b < 0));
}

// ---- tile_div
// a / b rounded down; by 0: 0; the lowest by -1 wraps.
static __host__ __device__ inline int64_t tile_div(int64_t a, int64_t b)
{
    if (b == 0 || b == -1)
        return (int64_t)((uint64_t)a * (uint64_t)b);
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

// ---- tile_mod
// What tile_div leaves; by 0: a.
static __host__ __device__ inline int64_t tile_mod(int64_t a, int64_t b)
{
    if (b == 0 || b == -1)
        return b == 0 ? a : 0;
    return a % b + (a % b != 0 && (a < 0) != (b < 0) ? b : 0);
}

// ---- tile_min
// The smaller of two.
static __host__ __device__ inline int64_t tile_min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

// ---- tile_max
// The larger of two.
static __host__ __device__ inline int64_t tile_max(int64_t a, int64_t b)
{
    return a > b ? a : b;
}
