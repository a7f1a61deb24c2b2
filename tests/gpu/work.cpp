/* work.cpp -- the examples' kernels, one call each of those that their headers declare */
#include "work.h"
#include <cstring>
#include "01_add.h"
#include "02_affine.h"
#include "03_gelu.h"
#include "04_softmax.h"
#include "05_reduce.h"
#include "06_layer_norm.h"
#include "07_transpose.h"
#include "08_matmul.h"
#include "09_gather.h"
#include "10_attention.h"
#include "own.h"

namespace {
enum { M = 37, N = 515, K = 100, V = 29, ROOM = 1 << 15 };      // M * N elements fit into a room

/* Pieces of the memory, one after another; from NULL it only counts. */
struct Pieces {
    unsigned char *at;
    size_t used = 0;
    template <typename T> T *next(size_t count = ROOM)
    {
        T *const piece = at ? (T *)(at + used) : nullptr;
        used += (count * sizeof(T) + 255) / 256 * 256;
        return piece;
    }
};

struct Inputs {
    float *x, *w, *q;
    tile_bf16 *xb, *wb;
    tile_f16 *xh, *wh;
    double *xd;
    int32_t *ids, *order;
    explicit Inputs(Pieces &p)
    {
        x = p.next<float>(), w = p.next<float>(), q = p.next<float>();
        xb = p.next<tile_bf16>(), wb = p.next<tile_bf16>();
        xh = p.next<tile_f16>(), wh = p.next<tile_f16>();
        xd = p.next<double>();
        ids = p.next<int32_t>(), order = p.next<int32_t>();
    }
};

/* The upper half of each float: a bf16. */
void fill_halves(void *to, Random &random, bool f16)
{
    uint16_t *const h = (uint16_t *)to;
    for (int k = 0; k < ROOM; k++) {
        const float f = (float)random.next(0.5, 2);
        uint32_t bits;
        memcpy(&bits, &f, sizeof bits);
        h[k] = (uint16_t)(f16 ? ((bits >> 13) - (112 << 10)) & 0x7fff : bits >> 16);
        if (random.next(0, 1) < 0.5)
            h[k] |= 0x8000;
    }
}

/* The first calls that fail decide. */
#define TRY(call) do { const cudaError_t e = (call); if (e != cudaSuccess) return e; } while (0)

cudaError_t rows(const Inputs &in, Pieces &out, cudaStream_t s)
{
    TRY(add(out.next<float>(), in.x, in.w, M * N, s));
    TRY(affine_f32(out.next<float>(), in.x, in.w, in.q, M, N, s));
    TRY(affine_bf16(out.next<tile_bf16>(), in.xb, in.wb, nullptr, M, N, s));
    TRY(gelu_forward_f32(out.next<float>(), in.x, M * N, s));
    TRY(gelu_forward_bf16(out.next<tile_bf16>(), in.xb, M * N, s));
    float *const place = out.next<float>();
    TRY(cudaMemcpyAsync(place, in.x, M * N * sizeof *place, cudaMemcpyDeviceToDevice, s));
    TRY(quick_gelu_inplace(place, M * N, s));
    TRY(softmax(out.next<float>(), in.x, M, N, s));
    TRY(softmax(out.next<float>(), in.x, 1, 12000, s));
    float *const sums = out.next<float>(), *const means = out.next<float>();
    TRY(row_stats(sums, means, out.next<int32_t>(), in.x, M, N, s));
    TRY(column_sums(out.next<float>(), in.x, N, M, s));
    float *const y = out.next<float>(), *const mean = out.next<float>();
    TRY(layer_norm_f32(y, mean, out.next<float>(), in.x, in.w, in.q, 1e-5f, M, N, s));
    TRY(layer_norm_f16(out.next<tile_f16>(), nullptr, nullptr, in.xh, in.wh, nullptr, 1e-5f, M, N, s));
    return layer_norm_bf16(out.next<tile_bf16>(), nullptr, nullptr, in.xb, in.wb, in.wb, 1e-5f, M, N, s);
}

cudaError_t moves(const Inputs &in, Pieces &out, cudaStream_t s)
{
    TRY(transpose_f64(out.next<double>(), in.xd, N, M, s));
    TRY(transpose_f32(out.next<float>(), in.x, N, M, s));
    TRY(transpose_f16(out.next<tile_f16>(), in.xh, N, M, s));
    TRY(embedding_f32(out.next<float>(), in.ids, in.x, 100, 129, V, s));
    TRY(embedding_bf16(out.next<tile_bf16>(), in.ids, in.xb, 100, 129, V, s));
    float *const table = out.next<float>();             // sums of whole numbers: exact in any order
    TRY(cudaMemsetAsync(table, 0, V * 129 * sizeof *table, s));
    TRY(embedding_grad(table, in.ids, in.q, V, 129, 100, s));
    return inverse(out.next<int32_t>(), in.order, 1000, s);
}

cudaError_t products(const Inputs &in, Pieces &out, cudaStream_t s)
{
    TRY(matmul_f32(out.next<float>(), in.x, in.w, in.q, 70, 90, K, s));
    TRY(matmul_bf16(out.next<tile_bf16>(), in.xb, in.wb, nullptr, 70, 90, K, s));
    TRY(product(out.next<float>(), in.x, in.w, 70, 90, K, s));
    return attention(out.next<float>(), in.x, in.w, in.q, 0.125f, 1, 2, 100, 64, s);
}
} // namespace

cudaError_t Work::enqueue(cudaStream_t stream)
{
    Pieces pieces{memory};
    const Inputs in(pieces);
    TRY(cudaMemsetAsync(memory + in_bytes, 0xff, bytes - in_bytes, stream));
    pieces.used = in_bytes;
    TRY(rows(in, pieces, stream));
    TRY(moves(in, pieces, stream));
    return products(in, pieces, stream);
}

cudaError_t Work::inputs(unsigned seed, cudaStream_t stream)
{
    Random random(seed);
    Pieces pieces{host.data()};
    const Inputs in(pieces);
    for (int k = 0; k < ROOM; k++) {
        in.x[k] = (float)random.next(-3, 3);
        in.w[k] = (float)random.next(-2, 2);
        in.q[k] = (float)(int)random.next(-50, 50);
        in.xd[k] = random.next(-1, 1);
        in.ids[k] = (int)random.next(0, V + 2);         // two that are no row
        in.order[k] = k;
    }
    for (int k = 999; k > 0; k--) {
        const int other = (int)random.next(0, k + 1), kept = in.order[k];
        in.order[k] = in.order[other];
        in.order[other] = kept;
    }
    fill_halves(in.xb, random, false), fill_halves(in.wb, random, false);
    fill_halves(in.xh, random, true), fill_halves(in.wh, random, true);
    return cudaMemcpyAsync(memory, host.data(), in_bytes, cudaMemcpyHostToDevice, stream);
}

std::vector<unsigned char> Work::outputs(cudaStream_t stream)
{
    std::vector<unsigned char> result(bytes - in_bytes);
    if (cudaStreamSynchronize(stream) != cudaSuccess
        || cudaMemcpy(result.data(), memory + in_bytes, result.size(), cudaMemcpyDeviceToHost) != cudaSuccess)
        result.clear();
    return result;
}

Work::Work()
{
    Pieces pieces{nullptr};
    const Inputs in(pieces);
    in_bytes = pieces.used;
    bytes = in_bytes + 32 * (ROOM * sizeof(double));
    host.resize(in_bytes);
    if (cudaMalloc((void **)&memory, bytes) != cudaSuccess)
        memory = nullptr;
}

Work::~Work()
{
    cudaFree(memory);
}
