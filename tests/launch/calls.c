/* calls.c -- what the launch functions of made.cu do with right and wrong arguments
 *
 * Linked with made.cu, as nvcc or as g++ and the emulator compile it, in place of what starts
 * kernels. */
#include <stdio.h>
#include <string.h>
#include "made.h"

static int passed, failed;

/* ---- what was launched ---------------------------------------------------------------------- */

static const void *launched;
static unsigned blocks, threads;

static cudaError_t note(const cudaLaunchConfig_t *config, const void *kernel)
{
    launched = kernel;
    blocks = config->gridDim.x;
    threads = config->blockDim.x;
    return cudaSuccess;
}

#ifdef TILE_EMULATOR
cudaError_t tile_launch(const cudaLaunchConfig_t *config, const void *kernel, void (*call)(void *),
                        void *arguments)
{
    (void)call, (void)arguments;
    return note(config, kernel);
}
#else
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *kernel,
                                void **arguments)
{
    (void)arguments;
    return note(config, kernel);
}
#endif

static void check(int line, const char *what, int good)
{
    passed += good;
    failed += !good;
    if (!good)
        printf("calls.c:%d: %s: kernel %s, %u blocks of %u; \"%s\"\n", line, what,
               launched ? "launched" : "not launched", blocks, threads, tile_last_error());
}

/* A kernel is launched, so many blocks of so many threads. */
#define LAUNCHED(kernel, n, t, call)                                                             \
    do {                                                                                         \
        void kernel(void);                                                                       \
        launched = NULL;                                                                         \
        check(__LINE__, #call, (call) == cudaSuccess && launched == (const void *)kernel         \
              && blocks == (n) && threads == (t) && !*tile_last_error());                        \
    } while (0)

/* There is nothing to do. */
#define NOTHING(call)                                                                            \
    (launched = NULL, check(__LINE__, #call, (call) == cudaSuccess && !launched                  \
                            && !*tile_last_error()))

/* Nothing is launched, and the reason has this text. */
#define REFUSED(text, call)                                                                      \
    (launched = NULL, check(__LINE__, #call, (call) == cudaErrorInvalidValue && !launched        \
                            && strstr(tile_last_error(), text)))

/* ---- the cases ------------------------------------------------------------------------------ */

static __attribute__((aligned(64))) float a[65536], b[65536], c[65536];
static __attribute__((aligned(64))) tile_f16 h[1 << 18];
#define far ((float *)((int64_t)1 << 44))

/* The fastest entry that is right for pointers, strides and length. */
static void entries(void)
{
    LAUNCHED(softmax_f32_warp_256, 2, 128, softmax_f32(a, b, 8, 256, 0));
    LAUNCHED(softmax_f32_warp_256, 3, 128, softmax_f32(a, b, 9, 4, 0));
    LAUNCHED(softmax_f32_warp_1024, 2, 128, softmax_f32(a, b, 8, 260, 0));
    LAUNCHED(softmax_f32_warp_256_unaligned, 2, 128, softmax_f32(a, b, 8, 255, 0));
    LAUNCHED(softmax_f32_warp_256_unaligned, 2, 128, softmax_f32(a + 1, b, 8, 256, 0));
    LAUNCHED(softmax_f32_stream, 8, 256, softmax_f32(a, b, 8, 257, 0));
    LAUNCHED(softmax_f32_stream, 8, 256, softmax_f32(a, b, 8, 1028, 0));
    LAUNCHED(softmax_f32_stream, 8, 256, softmax_f32(NULL, NULL, 8, 0, 0));
    LAUNCHED(softmax_f32_warp_256_unaligned, 2, 128, softmax_f32_strided(a, 35, b, 36, 8, 32, 0));
    LAUNCHED(softmax_f32_warp_256, 1, 128, softmax_f32_strided(a, 35, b, 1953, 1, 32, 0));
    LAUNCHED(softmax_f32_warp_256, 2, 128, softmax_f32_strided(a, 40, b, 0, 8, 32, 0));
    LAUNCHED(copy_u8_tile, 160, 128, copy_u8((uint8_t *)a, (uint8_t *)b, 160, 0));
    LAUNCHED(copy_u8_tile_unaligned, 161, 128, copy_u8((uint8_t *)a, (uint8_t *)b, 161, 0));
}

/* T72: extents of 0; T69: strides of axes that have no second place. */
static void nothing_to_do(void)
{
    NOTHING(softmax_f32(a, b, 0, 8, 0));
    NOTHING(softmax_f32(NULL, NULL, 0, 8, 0));
    NOTHING(softmax_f32(NULL, NULL, 0, 0, 0));
    NOTHING(layernorm_bf16(NULL, NULL, NULL, NULL, NULL, 1, 0, 0, 0));
    NOTHING(attention(NULL, NULL, NULL, NULL, true, 2, 0, 3, 64, 0));
    NOTHING(attention(NULL, NULL, NULL, NULL, false, 0, 5, 3, 128, 0));
    NOTHING(cube(NULL, NULL, 0, 3, 4, 0));
    NOTHING(copy_u8(NULL, NULL, 0, 0));
    LAUNCHED(cube_tile, 1, 128, cube_strided(a, 0, 0, 7, b, -3, -3, 7, 1, 1, 9, 0));
    LAUNCHED(cube_tile, 5, 128, cube_strided(a, 1, -5, 999, b, 1, 0, 0, 5, 1, 1, 0));
    LAUNCHED(cube_tile, 5, 128, cube_strided(a, 0, 0, -1, b, 0, 0, 0, 5, 0, 4, 0));
    LAUNCHED(softmax_f32_warp_256_unaligned, 1, 128, softmax_f32_strided(a, 999999, b, 0, 1, 5, 0));
}

/* T62: numbers that do not fit. */
static void large_numbers(void)
{
    const int64_t most = INT64_MAX, large = (int64_t)1 << 33;
    REFUSED("softmax_f32: extents are from 0 to 2^42: M is -1, N is 8",
            softmax_f32(a, b, -1, 8, 0));
    REFUSED("N is -9223372036854775808", softmax_f32(a, b, 1, INT64_MIN, 0));
    REFUSED("extents", softmax_f32(a, b, most, most, 0));
    REFUSED("extents", softmax_f32(a, b, 4, most / 4, 0));
    REFUSED("y (&mut) reaches beyond the end of memory", softmax_f32(a, b, large, large, 0));
    REFUSED("y (&mut) reaches beyond", softmax_f32_strided(a, most, b, 8, 3, 8, 0));
    REFUSED("x (&) reaches beyond", softmax_f32_strided(a, 8, b, most / 2, 4, 8, 0));
    REFUSED("y (&mut) has a negative stride", softmax_f32_strided(a, -8, b, 8, 4, 8, 0));
    REFUSED("x (&) has a negative stride", softmax_f32_strided(a, 8, b, INT64_MIN, 4, 8, 0));
    LAUNCHED(softmax_f32_warp_256, 2, 128,
             softmax_f32_strided((float *)16, large, (float *)32, large, 5, 4, 0));
    REFUSED("odd: the extent tensors * linux is not from 0 to 2^42",
            odd(NULL, NULL, NULL, true, 0, large, large, 2, 0));
    REFUSED("M * K <= 1048576", splitk(c, far, 1, 0, 2048, 2, 2048, 0));
    REFUSED("does not hold", splitk(c, a, most, INT32_MAX, 2, 2, 16, 0));
}

/* T66: an output that meets itself. */
static void folded_outputs(void)
{
    REFUSED("softmax_f32: elements of y (&mut) overlap: axis 0 has stride 7, and what lies inside "
            "it covers 8", softmax_f32_strided(a, 7, b, 8, 4, 8, 0));
    REFUSED("overlap", softmax_f32_strided(a, 0, b, 8, 4, 8, 0));
    REFUSED("axis 0 has stride 0", cube_strided(a, 0, 0, 0, b, 0, 0, 0, 10, 1, 1, 0));
    REFUSED("axis 0 has stride 11, and what lies inside it covers 20",
            cube_strided(a, 11, 10, 1, b, 1, 1, 1, 2, 2, 10, 0));
    REFUSED("overlap", cube_strided(a, 1, 2, 0, b, 1, 1, 1, 7, 2, 1, 0));
    LAUNCHED(cube_tile, 2, 128, cube_strided(a, 1, 20, 2, b, 0, 0, 0, 2, 2, 10, 0));
    LAUNCHED(cube_tile, 7, 128, cube_strided(a, 1, 7, 14, b, 1, 7, 14, 7, 2, 3, 0));
}

/* T67: arguments that overlap. */
static void aliases(void)
{
    const char *both = "softmax_f32: y (&mut) and x (&) overlap; an exclusive tensor may not alias";
    REFUSED(both, softmax_f32(a, a, 4, 8, 0));
    REFUSED(both, softmax_f32(a, a + 1, 4, 8, 0));
    REFUSED(both, softmax_f32(a, a + 31, 4, 8, 0));
    REFUSED(both, softmax_f32(a + 31, a, 4, 8, 0));
    LAUNCHED(softmax_f32_warp_256, 1, 128, softmax_f32(a, a + 32, 4, 8, 0));
    LAUNCHED(softmax_f32_warp_256, 1, 128, softmax_f32(a + 32, a, 4, 8, 0));
    LAUNCHED(softmax_f32_warp_256, 1, 128, softmax_f32_strided(a, 16, a + 8, 16, 4, 8, 0));
    LAUNCHED(softmax_f32_warp_256, 1, 128, softmax_f32_strided(a + 8, 16, a, 16, 4, 8, 0));
    LAUNCHED(softmax_f32_warp_256, 1, 128, softmax_f32_strided(a, 16, a + 8, 32, 2, 8, 0));
    REFUSED(both, softmax_f32_strided(a, 16, a + 4, 16, 4, 8, 0));
    REFUSED(both, softmax_f32_strided(a, 16, a + 12, 16, 4, 8, 0));
    REFUSED(both, softmax_f32_strided(a, 16, a + 8, 20, 4, 8, 0));
    REFUSED("mean (&mut) and x (&) overlap",
            layernorm_bf16(h, a, (tile_bf16 *)a, b, NULL, 1, 4, 8, 0));
    LAUNCHED(layernorm_bf16_block_1024, 2, 128,
             layernorm_bf16(h, NULL, h + 64, b, b, 1, 4, 8, 0));
    REFUSED("c (&atomic) and a (&) overlap", splitk(a, a, 1, 0, 16, 16, 16, 0));
}

/* q, k, v and o side by side in rows of one buffer, [B, S, 4, H, D]. */
static void shared_buffer(void)
{
    const int64_t H = 2, D = 64, row = 4 * H * D, all = 16 * row;
    tile_f16 *q = h, *k = h + H * D, *o = h + 2 * H * D, *v = h + 3 * H * D;
    LAUNCHED(attention_D64_CAUSAL0_BM64_tile, 4, 128,
             attention_strided(o, all, row, D, q, all, row, D, k, all, row, D, v, all, row, 0,
                               false, 2, 16, H, D, 0));
    REFUSED("o (&mut) and v (&) overlap",
            attention_strided(o, all, row, D, q, all, row, D, k, all, row, D, v - 8, all, row, 0,
                              false, 2, 16, H, D, 0));
}

/* T71: null pointers. */
static void null_pointers(void)
{
    REFUSED("softmax_f32: y (&mut) is a null pointer", softmax_f32(NULL, b, 4, 8, 0));
    REFUSED("softmax_f32: x (&) is a null pointer", softmax_f32(a, NULL, 4, 8, 0));
    REFUSED("w (&) is a null pointer", layernorm_bf16(h, a, h + 64, NULL, b, 1, 4, 8, 0));
    LAUNCHED(layernorm_bf16_block_1024, 2, 128,
             layernorm_bf16(h, NULL, h + 64, b, NULL, 1, 4, 8, 0));
}

/* What the caller chooses, and conditions. */
static void choices(void)
{
    tile_f16 *o = h, *q = h + 65536;
    LAUNCHED(attention_D64_CAUSAL1_BM128_tile, 2, 128,
             attention(o, q, q, q, true, 1, 128, 2, 64, 0));
    LAUNCHED(attention_D64_CAUSAL1_BM64_tile, 6, 128,
             attention(o, q, q, q, true, 1, 129, 2, 64, 0));
    LAUNCHED(attention_D128_CAUSAL0_BM128_tile, 2, 128,
             attention(o, q, q, q, false, 2, 128, 1, 128, 0));
    REFUSED("attention: D is 96; there are kernels for 64, 128",
            attention(o, q, q, q, false, 1, 1, 1, 96, 0));
    LAUNCHED(splitk_tile, 3, 256, splitk(c, a, 3, 5, 16, 16, 16, 0));
    REFUSED("splitk: `where slices > 0` does not hold: slices is 0",
            splitk(c, a, 0, 5, 4, 4, 16, 0));
    REFUSED("`where K % 16 == 0` does not hold: K is 8", splitk(c, a, 1, 5, 4, 4, 8, 0));
    REFUSED("`where aligned(a, 16)` does not hold", splitk(c, a + 1, 1, 5, 4, 4, 16, 0));
    REFUSED("N is 4097, and this kernel takes up to 4096: a loop carries a row",
            layernorm_bf16(h, NULL, h + 65536, b, NULL, 1, 1, 4097, 0));
    REFUSED("odd: `where programs` does not hold", odd(NULL, NULL, NULL, false, 0, 0, 1, 2, 0));
    REFUSED("odd: the extent tensors - 1", odd(NULL, NULL, NULL, true, 0, 0, 0, 2, 0));
    REFUSED("odd: the extent launch / 2 is not whole", odd(NULL, NULL, NULL, true, 0, 0, 1, 3, 0));
}

/* T74: more programs than a grid has blocks. */
static void grids(void)
{
    const int64_t most = 0x7fffffff;
    float *y = (float *)4096, *x = far;
    LAUNCHED(softmax_f32_stream, 2147483647u, 256, softmax_f32(y, x, most, 1025, 0));
    REFUSED("softmax_f32: 2147483648 blocks are needed; a grid has up to 2147483647",
            softmax_f32(y, x, most + 1, 1025, 0));
    LAUNCHED(softmax_f32_warp_256, 536870912, 128, softmax_f32(y, x, most + 1, 4, 0));
    LAUNCHED(splitk_tile, 70000, 256, splitk(c, far, 70000, 0, 4, 4, 65536, 0));
    REFUSED("splitk: 2812500000 blocks are needed", splitk(c, a, 60000, -60000, 3000000, 0, 0, 0));
}

int main(void)
{
    entries();
    nothing_to_do();
    large_numbers();
    folded_outputs();
    aliases();
    shared_buffer();
    null_pointers();
    choices();
    grids();
    printf("%d passed, %d failed, 0 skipped\n", passed, failed);
    return failed != 0;
}
