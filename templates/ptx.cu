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
