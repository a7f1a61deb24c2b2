/* rows.c -- calls the translation of rows.tile, through the emulator: results and refusals */
#include <stdio.h>
#include <string.h>
#include "rows.h"

static int passed, failed;

static void check(int line, int good)
{
    passed += good;
    failed += !good;
    if (!good)
        printf("rows.c:%d: \"%s\"\n", line, tile_last_error());
}
#define FINE(call)          check(__LINE__, (call) == cudaSuccess && !*tile_last_error())
#define REFUSED(text, call) check(__LINE__, (call) == cudaErrorInvalidValue &&                   \
                                            strstr(tile_last_error(), text))

int main(void)
{
    float y[24] = { 0 }, b[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
    const float x[24] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 };
    FINE(rows_f32(y, x, b, 2, false, 3, 4, 0));
    check(__LINE__, y[0] == 3 && y[5] == 14 && y[11] == 28 && y[12] == 0);
    FINE(rows_f32(y, x, NULL, 2, true, 1, 8, 0));
    check(__LINE__, y[0] == -2 && y[7] == -16 && y[8] == 19);
    FINE(rows_f32_strided(y, 12, x, 0, NULL, 1, false, 2, 8, 0));
    check(__LINE__, y[0] == 1 && y[8] == 19 && y[12] == 1 && y[19] == 8 && y[20] == 0);
    FINE(rows_f32(NULL, NULL, b, 2, false, 0, 4, 0));
    FINE(rows_bf16(NULL, NULL, NULL, 2, false, 0, 8, 0));
    REFUSED("rows_f32: D is 5; there are kernels for 4, 8", rows_f32(y, x, b, 2, false, 3, 5, 0));
    REFUSED("M <= 1000", rows_f32(y, x, b, 2, false, 1001, 4, 0));
    REFUSED("`M < 4 || M % 2 == 0`, `M < 4 || M > 4`", rows_f32(y, x, b, 2, false, 5, 4, 0));
    REFUSED("M is 4", rows_f32(y, x, b, 2, false, 4, 4, 0));
    FINE(rows_f32(y, x, b, 2, false, 6, 4, 0));
    FINE(rows_f32(y, x, b, 2, true, 5, 4, 0));
    REFUSED("y (&mut) and x (&) overlap", rows_f32(y, y + 4, b, 2, false, 3, 4, 0));
    REFUSED("y (&mut) is a null pointer", rows_f32(NULL, x, b, 2, false, 3, 4, 0));
    REFUSED("M is -1", rows_f32(y, x, b, 2, false, -1, 4, 0));
    printf("%d passed, %d failed, 0 skipped\n", passed, failed);
    return failed != 0;
}
