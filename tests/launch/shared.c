/* shared.c -- more shared memory than every device has: asked for, or refused by one that lacks it
 *
 * Linked twice: with a device as it is, and (argument "small") with one whose blocks have 48 KB. */
#include <stdio.h>
#include <string.h>
#include "shared.h"

int main(int argc, char **argv)
{
    const int small = argc > 1 && !strcmp(argv[1], "small");
    static float a[2 * 3] = {1, 2, 3, 4, 5, 6}, b[3 * 1] = {1, 10, 100}, c[2];
    const cudaError_t status = product(c, a, b, 2, 1, 3, NULL);
    const char *text = "product: 76288 bytes of shared memory are needed; a block of this device "
                       "has up to 49152";
    const int good = small ? status == cudaErrorInvalidValue && !strcmp(tile_last_error(), text)
                           : status == cudaSuccess && c[0] == 321 && c[1] == 654;
    if (!good)
        printf("shared.c: status %d, %g %g, \"%s\"\n", (int)status, c[0], c[1], tile_last_error());
    printf("%d passed, %d failed, 0 skipped\n", good, !good);
    return !good;
}
