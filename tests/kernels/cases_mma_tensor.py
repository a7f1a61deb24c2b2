"""cases_mma_tensor.py -- contractions on tensor cores: warps, slabs, rounds that are fetched ahead"""
import numpy as np
from cases_mma import any_byte, product
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
      sizes(M=[1, 128, 200], N=[8, 20, 256, 264], K=[0, 8, 64, 100, 200, 512]))
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


@case('65_boxes', 'bytes', 'T: f8e4m3 f8e5m2', 'c: f32[M, N] out; a: T[M, K]; w: T[N, K]',
      sizes(M=[1, 64, 72], N=[8, 64, 80], K=[0, 16, 128, 400]))
def _(a, w, M, N):
    return contract(a, Number(w.v.T, w.t), Number(np.full((M, N), 0.5), 'f32'))


@case('65_boxes', 'fast_bytes', '', 'c: bf16[M, N] out; a: f8e4m3[M, K]; w: f8e4m3[N, K]',
      sizes(M=[1, 128, 136], N=[8, 96, 112], K=[16, 256, 528]))
def _(a, w):
    return cast(product(a, Number(w.v.T, w.t)), 'bf16')


@case('65_boxes', 'words', '', 'c: f32[M, N] out; a: tf32[M, K]; w: tf32[N, K]',
      sizes(M=[1, 128, 136], N=[4, 64, 72], K=[0, 4, 64, 100]))
def _(a, w):
    return product(a, Number(w.v.T, w.t))


# Few programs, some, and so many that large tiles take fewer waves.
@case('65_boxes', 'tuned', '', 'c: f32[M, N] out; a: bf16[M, K]; w: bf16[N, K]',
      sizes(M=[1, 128, 1100], N=[8, 1000], K=[8, 72]))
def _(a, w):
    return product(a, Number(w.v.T, 'bf16'))


# The longest K is of 5 rounds, the last of which lies where the result will: in the first of four rooms.
def turned(x):
    return Number(x.v.T, x.t)


@case('64_mma_tensor', 'along', 'T: tf32 f8e4m3 f8e5m2', 'y: f16[M, N] out; a: T[M, K]; b: T[N, K]',
      sizes(M=[1, 130], N=[1, 32, 40], K=[0, 1, 64, 72, 264]))
def _(a, b):
    return cast(product(a, turned(b)), 'f16')


@case('64_mma_tensor', 'across', 'T: tf32 f8e4m3 f8e5m2', 'y: f32[M, N] out; a: T[K, M]; b: T[K, N]',
      sizes(M=[1, 32, 40], N=[8, 48, 49], K=[0, 31, 32, 136]))
def _(a, b):
    return product(turned(a), b)


@case('64_mma_tensor', 'both_kinds', '', 'y: f32[M, N] out; a: f8e4m3[M, K]; b: f8e5m2[N, K]',
      sizes(M=[1, 16, 24], N=[32, 33], K=[0, 16, 32, 136]))
def _(a, b):
    return product(a, turned(b))


@case('64_mma_tensor', 'bytes', 'T: i8 u8', 'y: i32[M, N] out; z: i32[M, N] out; a: T[M, K]; b: u8[N, K]; s: i8[N, K]',
      sizes(M=[1, 64, 65], N=[32, 33], K=[0, 1, 64, 264]), data=dict(a=any_byte, b=any_byte, s=any_byte))
def _(a, b, s):
    a, b, s = (x.astype(np.int64) for x in (a, b, s))
    return dict(y=(a @ b.T + 2147483000).astype(np.int32), z=(a @ s.T).astype(np.int32))


@case('64_mma_tensor', 'bytes_across', '', 'y: i32[M, N] out; a: i8[K, M]; b: u8[K, N]',
      sizes(M=[1, 32, 40], N=[16, 17], K=[0, 31, 32, 136]), data=dict(a=any_byte, b=any_byte))
def _(a, b):
    return a.T.astype(np.int32) @ b.astype(np.int32)


@case('64_mma_tensor', 'doubles', '', 'y: f64[M, N] out; a: f64[M, K]; b: f64[N, K]',
      sizes(M=[1, 128, 130], N=[1, 16, 24], K=[0, 1, 20, 90]))
def _(a, b):
    return contract(a, turned(b), Number(np.zeros((a.shape[0], b.shape[0])), 'f64'))


@case('64_mma_tensor', 'doubles_across', '', 'y: f64[M, N] out; a: f64[K, M]; b: f64[K, N]',
      sizes(M=[1, 32, 40], N=[8, 32, 33], K=[0, 7, 8, 36]))
def _(a, b):
    return contract(turned(a), b, Number(np.zeros((a.shape[1], b.shape[1])), 'f64'))


@case('64_mma_tensor', 'side_by_side', '', 'y: f16[M, N] out; r: f32[M, ceil(N, 128)] out; h: i32[M] inout; a: f16[M, K]; '
      'b: f16[K, N]; s: f32[M]; bias: f32[N]', sizes(M=[1, 16, 17], N=[8, 128, 130], K=[0, 32, 72]), data=dict(s=whole),
      unordered=True)
def _(h, a, b, s, bias, M, N, K):
    acc = Number(np.zeros((M, N)), 'f32')
    scale = s.reshape(M, 1)
    for k in range(0, K, 32):
        acc = acc + product(a[:, k:k + 32], b[k:k + 32]) * scale
        scale = scale * Number(0.5, 'f32')
    columns = -(-N // 128)
    counts = h + columns * np.trunc(scale.v[:, 0] * 64).astype(np.int32)
    return dict(y=cast(acc + bias, 'f16'), h=counts, r=Number(np.repeat(scale.v, columns, 1), 'f32'))


@case('64_mma_tensor', 'two_results', '', 'y: f32[M, N] out; a: bf16[M, K]; b: bf16[K, N]; g: bf16[N, K]',
      sizes(M=[1, 64, 65], N=[8, 64, 66], K=[0, 16, 40, 80]), data=dict(a=whole, b=whole, g=whole))
def _(a, b, g):
    acc, gate = product(a, b), product(a, turned(g))
    return where(gate.v > 0.5, acc, gate)

@case('64_mma_tensor', 'few_fetch', '', 'y: f32[M, 16] out; a: f16[M, K]; b: f16[K, 16]', sizes(M=[1, 64, 70], K=[1, 16, 72, 200]),
      data=dict(a=whole, b=whole))
def _(a, b, K):
    return contract(a, Number(2 * b.v + 1, 'f16'), Number(np.zeros((1, 16)), 'f32'))
