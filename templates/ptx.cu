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
