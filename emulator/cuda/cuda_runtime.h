/* cuda_runtime.h -- the runtime, and with it the language: keywords, launches, intrinsics */
#ifndef TILE_CUDA_RUNTIME_H
#define TILE_CUDA_RUNTIME_H

#include "cuda_runtime_api.h"
#include "tile_emulator.h"

#endif
