// ptx.cu -- instructions that C cannot say; the emulator has a twin of each function

// ---- max_nan
// The larger of two; NaN propagates and +0 is above -0, unlike fmaxf.
static __device__ __forceinline__ float max_nan(float a, float b)
{
    float r;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
    return r;
}

// ---- min_nan
// The smaller of two; NaN propagates and -0 is below +0, unlike fminf.
static __device__ __forceinline__ float min_nan(float a, float b)
{
    float r;
    asm("min.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
    return r;
}

// ---- ldg_keep
// 16 bytes that will be read again, which the caches are asked to keep; `otherwise` if not there.
static __device__ __forceinline__ uint4 ldg_keep(const uint4 *from, bool there, uint4 otherwise)
{
    asm volatile("{\n"
                 ".reg .pred there;\n"
                 ".reg .b64 keep;\n"
                 "createpolicy.fractional.L2::evict_last.b64 keep, 1.0;\n"
                 "setp.ne.s32 there, %5, 0;\n"
                 "@there ld.global.nc.L1::evict_last.L2::cache_hint.v4.u32"
                 " {%0, %1, %2, %3}, [%4], keep;\n"
                 "}"
                 : "+r"(otherwise.x), "+r"(otherwise.y), "+r"(otherwise.z), "+r"(otherwise.w)
                 : "l"(from), "r"((int)there));
    return otherwise;
}

// ---- ldg_last
// 16 bytes that are read for the last time, which the caches may give up; `otherwise` if not there.
static __device__ __forceinline__ uint4 ldg_last(const uint4 *from, bool there, uint4 otherwise)
{
    asm volatile("{\n"
                 ".reg .pred there;\n"
                 ".reg .b64 last;\n"
                 "createpolicy.fractional.L2::evict_first.b64 last, 1.0;\n"
                 "setp.ne.s32 there, %5, 0;\n"
                 "@there ld.global.nc.L1::evict_first.L2::cache_hint.v4.u32"
                 " {%0, %1, %2, %3}, [%4], last;\n"
                 "}"
                 : "+r"(otherwise.x), "+r"(otherwise.y), "+r"(otherwise.z), "+r"(otherwise.w)
                 : "l"(from), "r"((int)there));
    return otherwise;
}

// ---- rcp_approx
// 1 / b to within an ulp; subnormals count as 0.
static __device__ __forceinline__ float rcp_approx(float b)
{
    float r;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(b));
    return r;
}

// ---- to_tf32
// The bits of x rounded to 10 bits of mantissa, ties away from 0: what mma_tf32 takes.
static __device__ __forceinline__ unsigned to_tf32(float x)
{
    unsigned r;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(x));
    return r;
}

// ---- ldmatrix_x4
// Four 8 x 8 matrices of 16 bits: lane l gives row l % 8 of matrix l / 8, which is 16 bytes of
// shared memory, and gets of each matrix the pair that begins at row l / 4, column 2 * (l % 4).
static __device__ __forceinline__ void ldmatrix_x4(unsigned (&r)[4], const void *row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"((unsigned)__cvta_generic_to_shared(row))
                 : "memory");
}

// ---- ldmatrix_x4_trans
// As ldmatrix_x4, of the transposes: the pair lies in rows 2 * (l % 4) and the next, column l / 4.
static __device__ __forceinline__ void ldmatrix_x4_trans(unsigned (&r)[4], const void *row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"((unsigned)__cvta_generic_to_shared(row))
                 : "memory");
}

// ---- ldmatrix_x2
// Two 8 x 8 matrices of 16 bits, whose rows lanes 0 to 15 give; pairs as of ldmatrix_x4.
static __device__ __forceinline__ void ldmatrix_x2(unsigned (&r)[2], const void *row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                 : "=r"(r[0]), "=r"(r[1])
                 : "r"((unsigned)__cvta_generic_to_shared(row))
                 : "memory");
}

// ---- ldmatrix_x2_trans
// As ldmatrix_x2, of the transposes.
static __device__ __forceinline__ void ldmatrix_x2_trans(unsigned (&r)[2], const void *row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                 : "=r"(r[0]), "=r"(r[1])
                 : "r"((unsigned)__cvta_generic_to_shared(row))
                 : "memory");
}

// ---- mma_f16
// upper and lower, the rows l / 4 of two 8 x 8 tiles, columns 2 * (l % 4) and the next, plus
// a (16 x 16, row-major) times b (16 x 8, column-major); registers as ldmatrix gives them.
static __device__ __forceinline__ void mma_f16(float (&upper)[2], float (&lower)[2],
                                               const unsigned (&a)[4], unsigned b0, unsigned b1)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3},"
                 " {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(upper[0]), "+f"(upper[1]), "+f"(lower[0]), "+f"(lower[1])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// ---- mma_bf16
// As mma_f16, of bf16.
static __device__ __forceinline__ void mma_bf16(float (&upper)[2], float (&lower)[2],
                                                const unsigned (&a)[4], unsigned b0, unsigned b1)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3},"
                 " {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(upper[0]), "+f"(upper[1]), "+f"(lower[0]), "+f"(lower[1])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// ---- mma_tf32
// As mma_f16, of tf32: a is 16 x 8, b 8 x 8, a register one element.
static __device__ __forceinline__ void mma_tf32(float (&upper)[2], float (&lower)[2],
                                                const unsigned (&a)[4], unsigned b0, unsigned b1)
{
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3},"
                 " {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(upper[0]), "+f"(upper[1]), "+f"(lower[0]), "+f"(lower[1])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// ---- mma_s8
// As mma_f16, of i8 in i32, which wraps: a is 16 x 32, b 32 x 8, a register four elements.
static __device__ __forceinline__ void mma_s8(int (&upper)[2], int (&lower)[2],
                                              const unsigned (&a)[4], unsigned b0, unsigned b1)
{
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3},"
                 " {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+r"(upper[0]), "+r"(upper[1]), "+r"(lower[0]), "+r"(lower[1])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// ---- mma_u8
// As mma_s8, of u8.
static __device__ __forceinline__ void mma_u8(int (&upper)[2], int (&lower)[2],
                                              const unsigned (&a)[4], unsigned b0, unsigned b1)
{
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 {%0, %1, %2, %3},"
                 " {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+r"(upper[0]), "+r"(upper[1]), "+r"(lower[0]), "+r"(lower[1])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// ---- mma_s8_u8
// As mma_s8, a of i8 and b of u8.
static __device__ __forceinline__ void mma_s8_u8(int (&upper)[2], int (&lower)[2],
                                                 const unsigned (&a)[4], unsigned b0, unsigned b1)
{
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32 {%0, %1, %2, %3},"
                 " {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+r"(upper[0]), "+r"(upper[1]), "+r"(lower[0]), "+r"(lower[1])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// ---- mma_u8_s8
// As mma_s8, a of u8 and b of i8.
static __device__ __forceinline__ void mma_u8_s8(int (&upper)[2], int (&lower)[2],
                                                 const unsigned (&a)[4], unsigned b0, unsigned b1)
{
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32 {%0, %1, %2, %3},"
                 " {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+r"(upper[0]), "+r"(upper[1]), "+r"(lower[0]), "+r"(lower[1])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// ---- mma_e4m3
// As mma_f16, of e4m3: a is 16 x 32, b 32 x 8, a register four elements; from sm_89 on.
static __device__ __forceinline__ void mma_e4m3(float (&upper)[2], float (&lower)[2],
                                                const unsigned (&a)[4], unsigned b0, unsigned b1)
{
#if __CUDA_ARCH__ >= 890
    asm volatile("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%0, %1, %2, %3},"
                 " {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(upper[0]), "+f"(upper[1]), "+f"(lower[0]), "+f"(lower[1])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#else
    __trap();
#endif
}

// ---- mma_e5m2
// As mma_e4m3, of e5m2.
static __device__ __forceinline__ void mma_e5m2(float (&upper)[2], float (&lower)[2],
                                                const unsigned (&a)[4], unsigned b0, unsigned b1)
{
#if __CUDA_ARCH__ >= 890
    asm volatile("mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e5m2.f32 {%0, %1, %2, %3},"
                 " {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(upper[0]), "+f"(upper[1]), "+f"(lower[0]), "+f"(lower[1])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#else
    __trap();
#endif
}

// ---- mma_f64
// d, row l / 4 of an 8 x 8 tile, columns 2 * (l % 4) and the next, plus a (8 x 4) times b (4 x 8),
// of which a lane has the element at l / 4 along the tile and l % 4 along the sum.
static __device__ __forceinline__ void mma_f64(double (&d)[2], double a, double b)
{
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                 : "+d"(d[0]), "+d"(d[1])
                 : "d"(a), "d"(b));
}

// ---- cp_async_16
// Begins to copy 16 bytes, past the first cache, or writes zeros if they are not there;
// what they are is known when cp_async_wait says so. Both addresses are multiples of 16.
static __device__ __forceinline__ void cp_async_16(void *shared, const void *global, bool there)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
                 :
                 : "r"((unsigned)__cvta_generic_to_shared(shared)), "l"(global), "r"(there ? 16 : 0)
                 : "memory");
}

// ---- cp_async_8
// As cp_async_16, of 8 bytes, through the first cache.
static __device__ __forceinline__ void cp_async_8(void *shared, const void *global, bool there)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;"
                 :
                 : "r"((unsigned)__cvta_generic_to_shared(shared)), "l"(global), "r"(there ? 8 : 0)
                 : "memory");
}

// ---- cp_async_4
// As cp_async_16, of 4 bytes, through the first cache.
static __device__ __forceinline__ void cp_async_4(void *shared, const void *global, bool there)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;"
                 :
                 : "r"((unsigned)__cvta_generic_to_shared(shared)), "l"(global), "r"(there ? 4 : 0)
                 : "memory");
}

// ---- cp_async_commit
// What this thread began to copy since the last commit is a group.
static __device__ __forceinline__ void cp_async_commit(void)
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}

// ---- cp_async_wait
// Waits until at most the PENDING latest groups of this thread are on their way.
template <int PENDING>
static __device__ __forceinline__ void cp_async_wait(void)
{
    asm volatile("cp.async.wait_group %0;" : : "n"(PENDING) : "memory");
}
