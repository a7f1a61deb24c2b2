"""gemm_peers.py -- the same contractions by torch, by cublasLt's heuristics and by Triton

Each function here gives {name: call}; call(c, a, b) enqueues one product on the current stream.
"""
import ctypes
import os
import subprocess
import torch
import triton
import triton.language as tl
import gemm_rows

# ---- torch ----------------------------------------------------------------------------------------


def torch_calls(row, bias):
    """What torch does by default; in f32, exactly or with tf32 as the row says."""
    a_turned, b_turned = gemm_rows.turned(row)
    A = lambda a: a.mT if a_turned else a
    B = lambda b: b.mT if b_turned else b
    if row.type in ('f8', 'f8 fast'):
        one = torch.ones((), device='cuda')
        call = lambda c, a, b: torch._scaled_mm(A(a), B(b), one, one, out_dtype=c.dtype, out=c,
                                                use_fast_accum=row.type == 'f8 fast')
    elif row.type == 'i8':
        call = lambda c, a, b: torch._int_mm(A(a), B(b), out=c)
    elif bias is not None:
        gelu = torch._C._nn.gelu                              # F.gelu has no out
        call = lambda c, a, b: gelu(torch.addmm(bias, A(a), B(b)), approximate='tanh', out=c)
    else:
        precision = 'high' if row.type == 'tf32' else 'highest'

        def call(c, a, b):
            torch.set_float32_matmul_precision(precision)
            torch.matmul(A(a), B(b), out=c)
    return {'torch': call}


# ---- cublasLt ---------------------------------------------------------------------------------------

WORKSPACE = 64 << 20


class CublasLt:
    """Products by cublasLt, by the library that torch has loaded."""

    def __init__(self):
        ctypes.CDLL(f'libcublasLt.so.{torch.version.cuda.split(".")[0]}', ctypes.RTLD_GLOBAL)
        source, library = (os.path.join(folder, 'gemm_lt' + suffix) for folder, suffix in
                           ((gemm_rows.HERE, '.cpp'), (gemm_rows.BUILD, '.so')))
        subprocess.run(['nvcc', '-O2', '-shared', '-Xcompiler', '-fPIC', '-o', library, source], check=True)
        self.lib = ctypes.CDLL(library)
        self.lib.gemm_lt_version.restype = ctypes.c_size_t
        self.lib.gemm_lt_free.restype = None
        self.workspace = torch.empty(WORKSPACE, dtype=torch.int8, device='cuda')
        self.made = None

    def version(self):
        number = self.lib.gemm_lt_version()
        return f'{number // 10000}.{number // 100 % 100}.{number % 100}'

    def calls(self, row, bias, wanted=8):
        """The algorithms that the heuristics name, the likely fastest first: lt 0, lt 1, .. As long as no other row
        asks for its own."""
        if self.made:
            self.lib.gemm_lt_free(self.made)
        self.made = ctypes.c_void_p()
        extents = [ctypes.c_int64(n) for n in (row.M, row.N, row.K)]
        pointer = lambda t: ctypes.c_void_p(None if t is None else t.data_ptr())
        count = self.lib.gemm_lt_make(ctypes.byref(self.made), row.type.encode(), *gemm_rows.turned(row), *extents,
                                      row.B, pointer(bias), pointer(self.workspace), ctypes.c_size_t(WORKSPACE), wanted)
        if count <= 0:
            raise RuntimeError(f'cublasLt has no algorithm, status {-count}')

        def algorithm(which):
            def call(c, a, b):
                stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
                status = self.lib.gemm_lt_run(self.made, which, pointer(c), pointer(a), pointer(b), stream)
                if status:
                    raise RuntimeError(f'cublasLt: status {-status}')
            return call
        return {f'lt {k}': algorithm(k) for k in range(count)}


# ---- Triton -------------------------------------------------------------------------------------------


@triton.jit
def product(c, a, b, bias, M, N, K, a_m, a_k, b_k, b_n, a_batch, b_batch, c_batch,
            BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr, SUM: tl.constexpr,
            WHOLE: tl.constexpr, GELU: tl.constexpr, PRECISION: tl.constexpr, PROMOTE: tl.constexpr):
    """A tile of c a program; GROUP rows of tiles advance together. WHOLE: BK divides K."""
    batch = tl.program_id(1).to(tl.int64)
    tile = tl.program_id(0)
    across = tl.cdiv(N, BN)
    band = tile // (GROUP * across)
    height = min(tl.cdiv(M, BM) - band * GROUP, GROUP)
    inside = tile % (GROUP * across)
    row = (band * GROUP + inside % height) * BM + tl.arange(0, BM)
    col = inside // height * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    # Rows and columns past the end are read from the start again, and never stored.
    a_at = a + batch * a_batch + (row % M)[:, None] * a_m + k[None, :] * a_k
    b_at = b + batch * b_batch + k[:, None] * b_k + (col % N)[None, :] * b_n
    acc = tl.zeros((BM, BN), dtype=SUM)
    for step in range(0, tl.cdiv(K, BK)):
        if WHOLE:
            x = tl.load(a_at)
            y = tl.load(b_at)
        else:
            left = K - step * BK
            x = tl.load(a_at, mask=k[None, :] < left, other=0.0)
            y = tl.load(b_at, mask=k[:, None] < left, other=0.0)
        acc = tl.dot(x, y, acc, input_precision=PRECISION, max_num_imprecise_acc=PROMOTE, out_dtype=SUM)
        a_at += BK * a_k
        b_at += BK * b_k
    if GELU:
        acc += tl.load(bias + col % N).to(tl.float32)[None, :]
        acc = acc * tl.sigmoid(1.5957691216057308 * (acc + 0.044715 * acc * acc * acc))
    there = (row < M)[:, None] & (col < N)[None, :]
    to = c + batch * c_batch + row.to(tl.int64)[:, None] * N + col[None, :]
    tl.store(to, acc.to(c.dtype.element_ty), mask=there)


# BM, BN, BK, warps, stages
LARGE = [(128, 256, 64, 8, 3), (256, 128, 64, 8, 3), (128, 128, 64, 4, 4), (128, 128, 64, 8, 3)]
SMALL = [(64, 64, 64, 4, 5), (64, 128, 64, 4, 4), (128, 64, 64, 4, 4), (64, 32, 128, 4, 4)]
EIGHT = [(128, 256, 128, 8, 3), (128, 128, 128, 4, 4), (64, 128, 128, 4, 4)]
TF32 = [(128, 128, 32, 4, 4), (128, 128, 32, 8, 3), (64, 64, 32, 4, 4)]


def configurations(row):
    """What is tried; nothing for exact f32, where Triton's contraction takes long to compile and to run."""
    if row.type == 'f32':
        return []
    if row.type in ('f8', 'f8 fast', 'i8'):
        return EIGHT
    if row.type == 'tf32':
        return TF32
    return LARGE if row.M * row.N * row.B > 2048 * 1024 else SMALL


def triton_launch(row, config, bias):
    """(grid, constants, numbers) of one configuration."""
    BM, BN, BK, warps, stages = config
    a_turned, b_turned = gemm_rows.turned(row)
    M, N, K = row.M, row.N, row.K
    numbers = (M, N, K, *((1, M) if a_turned else (K, 1)), *((1, K) if b_turned else (N, 1)), M * K, K * N, M * N)
    constants = dict(BM=BM, BN=BN, BK=BK, GROUP=8, SUM=tl.int32 if row.type == 'i8' else tl.float32, WHOLE=K % BK == 0,
                     GELU=bias is not None, PRECISION='ieee' if row.type == 'f32' else 'tf32',
                     PROMOTE={'f8': 128, 'f8 fast': None}.get(row.type, 0), num_warps=warps, num_stages=stages)
    return (triton.cdiv(M, BM) * triton.cdiv(N, BN), row.B), constants, numbers


def triton_calls(row, bias):
    def one(config):
        grid, constants, numbers = triton_launch(row, config, bias)
        return lambda c, a, b: product[grid](c, a, b, c if bias is None else bias, *numbers, **constants)
    return {'triton ' + 'x'.join(map(str, c[:3])) + f' {c[3]}w{c[4]}s': one(c) for c in configurations(row)}


def triton_compile(row, config, dtypes, bias):
    """Into Triton's cache, where another process finds it."""
    grid, constants, numbers = triton_launch(row, config, bias)
    c, a, b = (torch.empty(16, device='cuda', dtype=t) for t in dtypes)
    product.warmup(c, a, b, c if bias is None else bias, *numbers, grid=grid, **constants)
