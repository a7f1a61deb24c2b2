// gemm_lt.cpp -- cublasLt's heuristics for row-major products, as C functions for Python
//
// cublasLt has columns first: a row-major c[M, N] = a b is its c' = b' a', of N rows. So b comes first, and what lies
// by rows for us is not transposed for it.
//
// nvcc -O2 -shared -Xcompiler -fPIC -o gemm_lt.so gemm_lt.cpp      cublasLt itself is found where it is loaded
#include <cstdint>
#include <cstring>
#include <cublasLt.h>

// One product: its descriptors, and the algorithms that the heuristics name.
struct Product {
    cublasLtMatmulDesc_t what;
    cublasLtMatrixLayout_t a, b, c;
    cublasLtMatmulHeuristicResult_t found[32];
    void *workspace;
    size_t room;
    bool integers;
};

struct Types {
    const char *name;
    cudaDataType_t operand, result;
    cublasComputeType_t compute;
};
static const Types all_types[] = {
    {"bf16", CUDA_R_16BF, CUDA_R_16BF, CUBLAS_COMPUTE_32F},
    {"f16", CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F},
    {"f32", CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F},
    {"tf32", CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32},
    {"f8", CUDA_R_8F_E4M3, CUDA_R_16BF, CUBLAS_COMPUTE_32F},
    {"f8 fast", CUDA_R_8F_E4M3, CUDA_R_16BF, CUBLAS_COMPUTE_32F},
    {"i8", CUDA_R_8I, CUDA_R_32I, CUBLAS_COMPUTE_32I},
};

// Ends a function with cublasLt's status, negative.
#define TRY(call)                                       \
    do {                                                \
        const cublasStatus_t status_ = (call);          \
        if (status_ != CUBLAS_STATUS_SUCCESS) return -(int)status_; \
    } while (0)

static cublasLtHandle_t handle;

static int describe(Product *p, const Types *t, bool a_turned, bool b_turned, const void *bias)
{
    const bool fast = !strcmp(t->name, "f8 fast");
    TRY(cublasLtMatmulDescCreate(&p->what, t->compute, p->integers ? CUDA_R_32I : CUDA_R_32F));
    const cublasOperation_t first = b_turned ? CUBLAS_OP_T : CUBLAS_OP_N;
    const cublasOperation_t second = a_turned ? CUBLAS_OP_T : CUBLAS_OP_N;
    TRY(cublasLtMatmulDescSetAttribute(p->what, CUBLASLT_MATMUL_DESC_TRANSA, &first, sizeof first));
    TRY(cublasLtMatmulDescSetAttribute(p->what, CUBLASLT_MATMUL_DESC_TRANSB, &second, sizeof second));
    if (fast) {
        const int8_t yes = 1;
        TRY(cublasLtMatmulDescSetAttribute(p->what, CUBLASLT_MATMUL_DESC_FAST_ACCUM, &yes, sizeof yes));
    }
    if (bias) {
        const cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_GELU_BIAS;
        TRY(cublasLtMatmulDescSetAttribute(p->what, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof epilogue));
        TRY(cublasLtMatmulDescSetAttribute(p->what, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias, sizeof bias));
    }
    return 0;
}

// A layout of `rows` rows in cublasLt's sense, one behind the other.
static int lay(cublasLtMatrixLayout_t *layout, cudaDataType_t type, uint64_t rows, uint64_t cols, int32_t batch)
{
    TRY(cublasLtMatrixLayoutCreate(layout, type, rows, cols, (int64_t)rows));
    const int64_t apart = (int64_t)(rows * cols);
    TRY(cublasLtMatrixLayoutSetAttribute(*layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batch, sizeof batch));
    TRY(cublasLtMatrixLayoutSetAttribute(*layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &apart, sizeof apart));
    return 0;
}

static int make(Product *p, const Types *t, bool a_turned, bool b_turned, int64_t M, int64_t N, int64_t K, int B,
                const void *bias, int wanted, int *count)
{
    if (!handle) TRY(cublasLtCreate(&handle));
    p->integers = t->result == CUDA_R_32I;
    int bad = describe(p, t, a_turned, b_turned, bias);
    if (!bad) bad = lay(&p->a, t->operand, a_turned ? M : K, a_turned ? K : M, B);
    if (!bad) bad = lay(&p->b, t->operand, b_turned ? K : N, b_turned ? N : K, B);
    if (!bad) bad = lay(&p->c, t->result, N, M, B);
    if (bad) return bad;
    cublasLtMatmulPreference_t limits;
    TRY(cublasLtMatmulPreferenceCreate(&limits));
    TRY(cublasLtMatmulPreferenceSetAttribute(limits, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &p->room,
                                             sizeof p->room));
    const cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(handle, p->what, p->b, p->a, p->c, p->c, limits,
                                                                 wanted, p->found, count);
    cublasLtMatmulPreferenceDestroy(limits);
    TRY(status);
    return 0;
}

// Gives back what a product holds; NULL too.
extern "C" void gemm_lt_free(Product *p)
{
    if (!p) return;
    if (p->a) cublasLtMatrixLayoutDestroy(p->a);
    if (p->b) cublasLtMatrixLayoutDestroy(p->b);
    if (p->c) cublasLtMatrixLayoutDestroy(p->c);
    if (p->what) cublasLtMatmulDescDestroy(p->what);
    delete p;
}

// Makes B products of M x N x K of a type, with bias and gelu if there is a bias. The number of algorithms, at most
// `wanted` and 32, the likely fastest first; or cublasLt's status, negative.
extern "C" int gemm_lt_make(Product **made, const char *type, int a_turned, int b_turned, int64_t M, int64_t N,
                            int64_t K, int B, const void *bias, void *workspace, size_t room, int wanted)
{
    const Types *t = nullptr;
    for (const Types &each : all_types)
        if (!strcmp(each.name, type)) t = &each;
    *made = nullptr;
    if (!t) return -(int)CUBLAS_STATUS_INVALID_VALUE;
    Product *p = new Product();
    p->workspace = workspace;
    p->room = room;
    int count = 0;
    const int bad = make(p, t, a_turned != 0, b_turned != 0, M, N, K, B, bias, wanted < 32 ? wanted : 32, &count);
    if (bad) return gemm_lt_free(p), bad;
    *made = p;
    return count;
}

// Enqueues c = a b by one of the algorithms; 0, or cublasLt's status, negative.
extern "C" int gemm_lt_run(const Product *p, int which, void *c, const void *a, const void *b, cudaStream_t stream)
{
    const float one = 1.0f, zero = 0.0f;
    const int32_t one_int = 1, zero_int = 0;
    const void *alpha = p->integers ? (const void *)&one_int : &one;
    const void *beta = p->integers ? (const void *)&zero_int : &zero;
    TRY(cublasLtMatmul(handle, p->what, alpha, b, p->b, a, p->a, beta, c, p->c, c, p->c, &p->found[which].algo,
                       p->workspace, p->room, stream));
    return 0;
}

extern "C" size_t gemm_lt_version() { return cublasLtGetVersion(); }
