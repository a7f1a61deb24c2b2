// tensor.cu -- operands on their way to tensor cores

// ---- ldmatrix_f8
// Four 8 x 16 matrices of f8, as ldmatrix_x4 reads them, as f16, which holds all of f8: of the four
// neighbours that a lane gets of each, the first two in r[0], the last two in r[1].
template <__nv_fp8_interpretation_t KIND>
static __device__ __forceinline__ void ldmatrix_f8(unsigned (&r)[2][4], const void *row)
{
    unsigned packed[4];
    ldmatrix_x4(packed, row);
    #pragma unroll
    for (int i = 0; i < 8; i++) {
        const unsigned two = packed[i % 4] >> 16 * (i / 4);
        const __half2_raw wide = __nv_cvt_fp8x2_to_halfraw2((__nv_fp8x2_storage_t)two, KIND);
        r[i / 4][i % 4] = wide.x | (unsigned)wide.y << 16;
    }
}

// ---- fetch_vec
// W neighbours from global to shared memory without waiting for them, zeros if they do not exist;
// less than 16 bytes come at once.
template <int W, typename T>
static __device__ __forceinline__ void fetch_vec(T *to, const T *from, bool there)
{
    if (W * sizeof(T) % 16 == 0) {
        #pragma unroll
        for (int c = 0; c < W; c += 16 / sizeof(T))
            cp_async_16(&to[c], &from[c], there);
    } else {
        #pragma unroll
        for (int c = 0; c < W; c++)
            to[c] = there ? from[c] : T();
    }
}

// ---- fetch_any
// As fetch_vec, of 16 or 8 bytes.
template <int W, typename T>
static __device__ __forceinline__ void fetch_any(T *to, const T *from, bool there)
{
    if (W * sizeof(T) == 8)
        cp_async_8(to, from, there);
    else
        fetch_vec<W>(to, from, there);
}

// ---- fetch_8
// As fetch_vec, of 8 bytes.
template <int W, typename T>
static __device__ __forceinline__ void fetch_8(T *to, const T *from, bool there)
{
    if (W * sizeof(T) == 8) {
        cp_async_8(to, from, there);
    } else {
        #pragma unroll
        for (int c = 0; c < W; c++)
            to[c] = there ? from[c] : T();
    }
}
