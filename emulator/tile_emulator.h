/* tile_emulator.h -- CUDA C for g++: included before a translated file, it makes it C++ */
#ifndef TILE_EMULATOR_H
#define TILE_EMULATOR_H

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cuda_runtime_api.h"
#include "vector_functions.h"

/* ---- keywords ----------------------------------------------------------------------- */

/* A block runs on one OS thread, so what is local to that thread is shared by the block. */
#define __shared__ thread_local
#define __global__
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __grid_constant__
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __forceinline__ inline __attribute__((always_inline))
#define __builtin_assume(condition) ((condition) ? (void)0 : __builtin_unreachable())

/* ---- where a thread is -------------------------------------------------------------- */

/* Set by the scheduler before a thread goes on; const, so that reading one is no memory access. */
extern "C" {
extern __thread const uint3 threadIdx, blockIdx, blockDim, gridDim;
}
constexpr int warpSize = 32;

/* ---- everything else ---------------------------------------------------------------- */

#include "tile_fiber.h"
#include "tile_launch.h"
#include "tile_warp.h"
#include "tile_atomic.h"
#include "tile_math.h"
#include "tile_ptx.h"
#include "tile_tensor.h"
#include "tile_async.h"
#include "tile_sync.h"
#include "tile_tma.h"
#include "tile_wgmma.h"

#endif
