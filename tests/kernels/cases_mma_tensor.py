"""cases_mma_tensor.py -- contractions on tensor cores: warps, slabs, rounds that are fetched ahead"""
import numpy as np
from cases_mma import product
from number import Number, cast, contract, total, where
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


@case('64_mma_tensor', 'few_fetch', '', 'y: f32[M, 16] out; a: f16[M, K]; b: f16[K, 16]', sizes(M=[1, 64, 70], K=[1, 16, 72, 200]),
      data=dict(a=whole, b=whole))
def _(a, b, K):
    return contract(a, Number(2 * b.v + 1, 'f16'), Number(np.zeros((1, 16)), 'f32'))
