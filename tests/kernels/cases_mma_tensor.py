"""cases_mma_tensor.py -- contractions on tensor cores: warps, slabs, rounds that are fetched ahead"""
import numpy as np
from cases_mma import product
from number import Number, cast, contract, exp, larger, total, where
from table import case, sizes


def whole(rng, shape, t):
    """Whole numbers, whose sums are exact: which are larger than another is no matter of rounding."""
    return rng.integers(-4, 5, shape).astype(np.float64)


@case('64_mma_tensor', 'slabs', 'T: f16 bf16', 'y: f32[M, N] inout; a: T[M, K]; b: T[K, N]; least: f32',
      sizes(M=[0, 1, 127, 128, 130], N=[1, 32, 40], K=[0, 16, 49, 240], least=[0.5]),
      data=dict(y=whole, a=whole, b=whole))
def _(y, a, b, least):
    acc = contract(a, b, y)
    return where(acc.v > least.v, acc, y)


@case('64_mma_tensor', 'one_warp', '', 'y: f16[M, N] out; a: f16[K, M]; b: f16[N, K]',
      sizes(M=[1, 64, 72], N=[1, 16, 24], K=[0, 1, 16, 24, 80]))
def _(a, b):
    return cast(product(Number(a.v.T, 'f16'), Number(b.v.T, 'f16')), 'f16')


def around_zero(rng, shape, t):
    return rng.integers(-3, 9, shape)


@case('64_mma_tensor', 'pieces', '', 'y: f32[M, N] out; a: bf16[M, K]; b: bf16[K, N]; from: i32[P]; to: i32[P]',
      sizes(M=[1, 32, 40], N=[8, 33], K=[8, 100, 256], P=[0, 1, 5]), data={'from': around_zero, 'to': around_zero})
def _(a, b, to, M, N, K, **more):
    acc = Number(np.zeros((M, N)), 'f32')
    for first, last in zip(more['from'], to):
        k = slice(max(32 * int(first), 0), max(min(32 * int(last), K), 0))
        acc = contract(a[:, k], b[k], acc) * Number(0.5, 'f32')
    return acc


@case('64_mma_tensor', 'stretched', '', 'y: f32[M, N] out; s: f32[M, ceil(N, 32)] out; a: f16[1, K]; b: f16[K, N]',
      sizes(M=[1, 32, 33], N=[8, 32, 40], K=[8, 64, 200]))
def _(a, b, M, N):
    row = product(a, b)
    y = Number(np.repeat(row.v, M, 0), 'f32', np.repeat(row.e, M, 0))
    sums = [total(y[:, n:n + 32], 1) for n in range(0, N, 32)]
    return dict(y=y, s=Number(np.stack([x.v for x in sums], 1), 'f32', np.stack([x.e for x in sums], 1)))


# What TMA and wgmma compute where there is sm_90a, and mma.sync elsewhere.
@case('65_boxes', 'straight', 'T: f16 bf16', 'c: T[M, N] out; a: T[M, K]; b: T[K, N]',
      sizes(M=[1, 128, 200], N=[8, 256, 264], K=[0, 8, 64, 200, 512]))
def _(a, b, T):
    return cast(product(a, b), T)


@case('65_boxes', 'along', '', 'c: f32[M, N] out; a: f16[M, K]; w: f16[N, K]; bias: f32[N] opt',
      sizes(M=[1, 192, 200], N=[1, 48, 72], K=[0, 8, 128, 136, 1000]))
def _(a, w, bias):
    c = product(a, Number(w.v.T, 'f16'))
    return larger(c if bias is None else c + bias, Number(0.0, 'f32'))


@case('65_boxes', 'across', '', 'c: f32[M, N] inout; a: bf16[K, M]; b: bf16[K, N]',
      sizes(M=[8, 64, 72], N=[8, 64, 136], K=[0, 1, 16, 24, 80]))
def _(c, a, b):
    return contract(Number(a.v.T, 'bf16'), b, c)


@case('65_boxes', 'heads', '', 'c: bf16[B, M, H, N] out; x: bf16[B, M, H, K]; w: bf16[G, K, N]',
      sizes(B=[1, 2], M=[1, 64, 70], N=[8, 72], K=[8, 64, 136], H=[4], G=[2]))
def _(x, w, B, M, H, N, G):
    v, e = np.zeros((B, M, H, N)), np.zeros((B, M, H, N))
    for b in range(B):
        for h in range(H):
            one = cast(product(x[b, :, h], w[h // (H // G)]), 'bf16')
            v[b, :, h], e[b, :, h] = one.v, one.e
    return Number(v, 'bf16', e)


def ends(rng, shape, t):
    return np.array([[0, 3], [-2, 2], [1, 90], [2, 1], [-1 << 62, 5], [1 << 55, (1 << 55) + 2]][rng.integers(6)])


@case('65_boxes', 'gated', '', 'c: f16[M, N] out; a: f16[M, K]; u: f16[K, N]; v: f16[K, N]; ends: i64[2]; s: f32[M]',
      sizes(M=[1, 128, 136], N=[8, 64, 72], K=[8, 64, 200]), data=dict(ends=ends))
def _(a, u, v, s, K, ends):
    first = int(ends[0])
    last = min(int(ends[1]), first + 40)
    k = slice(max(64 * first, 0), max(min(64 * last, K), 0))
    x, y = product(a[:, k], u[k]), product(a[:, k], v[k])
    return cast(x / (Number(1.0, 'f32') + exp(-x)) * y * s[:, None], 'f16')
