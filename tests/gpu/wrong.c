/* wrong.c -- a translated file that was built for another GPU says so when it is called (T81) */
#include <stdio.h>
#include "01_add.h"

int main(void)
{
    const float in[2] = {1, 2};
    float out = 7, *memory = NULL;
    int good = cudaMalloc((void **)&memory, sizeof in + sizeof out) == cudaSuccess
               && cudaMemcpy(memory, in, sizeof in, cudaMemcpyHostToDevice) == cudaSuccess
               && cudaMemcpy(memory + 2, &out, sizeof out, cudaMemcpyHostToDevice) == cudaSuccess;
    const cudaError_t status = add(memory + 2, memory, memory + 1, 1, NULL);
    good = good && status == cudaErrorNoKernelImageForDevice
           && cudaMemcpy(&out, memory + 2, sizeof out, cudaMemcpyDeviceToHost) == cudaSuccess && out == 7;
    if (!good)
        printf("wrong.c: status %d, %s; out is %g\n", (int)status, cudaGetErrorString(status), out);
    printf("%d passed, %d failed, 0 skipped\n", good, !good);
    return !good;
}
