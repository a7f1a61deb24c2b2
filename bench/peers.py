"""peers.py -- the same operations by torch, torch.compile and Triton"""
import torch
import torch.nn.functional as F
import triton
import triton.language as tl

# ---- torch ----------------------------------------------------------------------------------------

EAGER = {
    'vecadd': lambda x, y: x + y,
    'affine': lambda x, scale, bias: torch.add(bias, x, alpha=scale),
    'softmax': lambda x: torch.softmax(x, 1),
    'layernorm': lambda x, w, b: F.layer_norm(x, x.shape[1:], w, b, 1e-5),
    'rmsnorm': lambda x, w: F.rms_norm(x, x.shape[1:], w, 1e-6),
}


def compiled(name):
    """torch.compile of an operation; for one shape at a time, so that it may use it."""
    plain = EAGER[name]
    if name == 'affine':
        return torch.compile(lambda x, scale, bias: x * scale + bias, dynamic=False)
    return torch.compile(plain, dynamic=False)


# ---- Triton: a program has ROWS whole rows -----------------------------------------------------------


@triton.jit
def softmax_rows(y, x, M, N, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    col = tl.arange(0, BLOCK)[None, :]
    at = row.to(tl.int64) * N + col
    there = (row < M) & (col < N)
    t = tl.load(x + at, mask=there, other=float('-inf')).to(tl.float32)
    e = tl.exp(t - tl.max(t, 1, keep_dims=True))
    tl.store(y + at, (e / tl.sum(e, 1, keep_dims=True)).to(y.dtype.element_ty), mask=there)


@triton.jit
def layernorm_rows(y, x, w, b, M, N, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    col = tl.arange(0, BLOCK)[None, :]
    at = row.to(tl.int64) * N + col
    there = (row < M) & (col < N)
    t = tl.load(x + at, mask=there, other=0.0).to(tl.float32)
    c = tl.where(col < N, t - tl.sum(t, 1, keep_dims=True) / N, 0.0)
    r = tl.rsqrt(tl.sum(c * c, 1, keep_dims=True) / N + 1e-5)
    tw = tl.load(w + col, mask=col < N, other=0.0).to(tl.float32)
    tb = tl.load(b + col, mask=col < N, other=0.0).to(tl.float32)
    tl.store(y + at, (c * r * tw + tb).to(y.dtype.element_ty), mask=there)


@triton.jit
def rmsnorm_rows(y, x, w, M, N, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    col = tl.arange(0, BLOCK)[None, :]
    at = row.to(tl.int64) * N + col
    there = (row < M) & (col < N)
    t = tl.load(x + at, mask=there, other=0.0).to(tl.float32)
    r = tl.rsqrt(tl.sum(t * t, 1, keep_dims=True) / N + 1e-6)
    tw = tl.load(w + col, mask=col < N, other=0.0).to(tl.float32)
    tl.store(y + at, (t * r * tw).to(y.dtype.element_ty), mask=there)


@triton.jit
def vecadd_tiles(z, x, y, N, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z + at, tl.load(x + at, mask=at < N) + tl.load(y + at, mask=at < N), mask=at < N)


@triton.jit
def affine_tiles(y, x, scale, bias, N, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, tl.load(x + at, mask=at < N) * scale + bias, mask=at < N)


ROW_KERNELS = {'softmax': softmax_rows, 'layernorm': layernorm_rows, 'rmsnorm': rmsnorm_rows}


def triton_calls(name, out, inputs):
    """The candidates for one shape, as calls without arguments; the bench takes the fastest."""
    if name in ROW_KERNELS:
        M, N = out.shape
        block = triton.next_power_of_2(N)
        if block > 65536:                                    # more than its registers hold
            return []

        def rows(count, warps):
            grid = (triton.cdiv(M, count),)
            return lambda: ROW_KERNELS[name][grid](out, *inputs, M, N, ROWS=count, BLOCK=block, num_warps=warps)
        shapes = [(c, w) for c in sorted({1, max(1, min(8, 2048 // block))}) for w in (4, 8, 16, 32)
                  if 8 <= c * block // (32 * w) <= 64]
        return [rows(c, w) for c, w in shapes or [(1, 4)]]
    N = out.numel()
    kernel = vecadd_tiles if name == 'vecadd' else affine_tiles
    scalars = [float(v) if torch.is_tensor(v) and v.dim() == 0 else v for v in inputs]
    return [lambda b=b: kernel[(triton.cdiv(N, b),)](out, *scalars, N, BLOCK=b) for b in (1024, 2048, 4096)]
