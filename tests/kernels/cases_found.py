"""cases_found.py -- what random programs found (tests/fuzz)"""
import numpy as np
from number import Number, contract, total
from table import around, case, sizes

FILE = '89_found'


@case(FILE, 'bits_of', '', 'a: u8[N] out; b: u16[N] out; c: i64[N] out; x: i8[N]; z: i16[N]', sizes(N=around(32)))
def _(x, z):
    return dict(a=(x & 60).view(np.uint8) ^ np.uint8(253),
                b=np.where(x > 0, -1, z | 1).astype(np.int16).view(np.uint16), c=np.where(x > 0, 12, 14))


@case(FILE, 'literal_bf16', '', 'y: f64[N] out', sizes(N=[0, 31, 33]))
def _(N):
    return Number(np.full(N, 1.5), 'f64')


@case(FILE, 'sort_beside', '', 'y: i64[M, N] out; z: i64[M, N] out; x: i64[N, M]', sizes(M=[1, 5, 13], N=[1, 33, 100]))
def _(x, M, N):
    z = x.T.copy()
    for i in range(0, M, 5):
        z[i:i + 5] = np.sort(z[i:i + 5], axis=0)
    return dict(y=np.ones((M, N)), z=z)


@case(FILE, 'places', '', 'y: i64[N] out; x: i64[N]; a: i64; b: i64',
      sizes(N=[5, 20], a=[-2**63, -3, 7], b=[-1, 0, 2]))
def _(x, N, a, b):
    wrap = lambda n: (n + 2**63) % 2**64 - 2**63
    down, left, up = (wrap(a // b), a % b, wrap(-(-a // b))) if b else (0, a, 0)
    pieces = [[x[8 * n + c] if 8 * n + c < N else 0 for c in range(8)]
              for n in (max(down, 0), max(left, 0), max(up, 0))]
    at = np.arange(N) % 8
    return (sum(np.array(p)[at] for p in pieces) + np.array(wrap(down + left + up), np.int64)).astype(np.int64)


@case(FILE, 'reshaped_index', '', 'y: i32[N] out; at: i32[N]; x: i32[K]', sizes(N=[1, 16, 40], K=[1, 60]))
def _(at, x, N, K):
    y = np.zeros(N, np.int32)
    for i in range(0, N, 16):
        start = at[i // 16]
        window = [x[start + c] if 0 <= start + c < K else 0 for c in range(16)]
        y[i:i + 16] = (np.cumsum(window) + start)[:N - i]
    return y


@case(FILE, 'one_after_another', '', 'y: f32[M, 64] out; a: f16[M, 64]; b: f16[64, 64]', sizes(M=[1, 130]))
def _(a, b):
    return contract(a, b, Number(np.full((1, 64), 48.0), 'f32'))


@case(FILE, 'odd_row', '', 'y: i64[M, N] out; z: i64[M, N] out; n: i32', sizes(M=[1, 2], N=[2, 100, 200], n=[-1, 0, 1, 2]))
def _(n, M, N):
    row = np.arange(N) % 100
    y = row + 1000 * int(n) if 0 <= n < 2 else 0 * row
    return dict(y=np.tile(y, (M, 1)), z=np.tile(2 * (1100 + row), (M, 1)))


@case(FILE, 'cat_rounds', '', 'y: i64[M, N] out; x: f32[M, N]', sizes(M=[1, 4, 7], N=[1, 33]))
def _(x):
    return np.ceil(x.v).astype(np.int64)


@case(FILE, 'small_block', '', 'y: f32[M, N] out; x: i32[N, N]', sizes(M=[1, 3, 7], N=[4, 16, 200]),
      data=dict(x=lambda rng, shape, t: rng.integers(0, 100, shape)))
def _(x, M, N):
    return Number(np.full((M, N), 3.0 + x[:, :3].max()), 'f32')


@case(FILE, 'beside_whole', '', 'y: f32[M, N] out; x: f32[M, K]', sizes(M=[1, 5], N=[2, 3], K=[1, 700, 3000]),
      data=dict(x=lambda rng, shape, t: rng.integers(-3, 4, shape).astype(float)))
def _(x, N):
    return total(x, 1).reshape(x.shape[0], 1) + Number(8.0 * (np.arange(N) % 2 - 2), 'f32')
