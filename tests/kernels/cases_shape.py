"""cases_shape.py -- ranks, program axes, windows, reshaping, control flow"""
import numpy as np
from cases_reduce import blocks
from inputs import wide
from number import Number, highest, total, where
from table import around, case, sizes


@case('37_ranks', 'rank5', '', 'y: f32[A, B, C, D, E] out; x: f32[A, B, C, D, E]; v: f32[E]; w: f32[C, D]',
      sizes(A=[0, 1, 3], B=[1, 2], C=[1, 2, 3], D=[0, 3, 4], E=[1, 4, 9]))
def _(x, v, w):
    return x * w.reshape(w.shape + (1,)) + v


@case('37_ranks', 'planes', '', 'y: f32[P, M, N] out; x: f32[P, M, N]', sizes(P=[0, 1, 3], M=[0, 1, 2, 5], N=around(8)))
def _(x):
    return x - highest(x, 2, keepdims=True)


@case('37_ranks', 'rank4', '',
      'y: f32[A, M, K, N] out; s: f32[ceil(A, 2), ceil(M, 3), K, N] out; x: f32[A, M, K, N]',
      sizes(A=[1, 2, 3], M=[1, 3, 4], K=[0, 1, 2], N=[0, 1, 7, 8, 9, 33]))
def _(x):
    return dict(y=x + 1.0, s=blocks(x, total, [0, 1], [2, 3]))


@case('37_ranks', 'sum_planes', '', 'y: f32[M, N] out; x: f32[P, M, N]', sizes(P=around() + [500], M=[1, 5], N=[1, 16, 17]))
def _(x):
    return total(x, 0)


@case('38_axis_order', 'crossed', '', 'm: f32[M, N] out; n: f32[N, M] out; x: f32[M, N]; z: f32[N, M]',
      sizes(M=[0, 1, 7, 8, 9, 33], N=[0, 1, 31, 32, 33, 97]))
def _(x, z):
    return dict(m=x + 1.0, n=z * 2.0)


@case('38_axis_order', 'unnamed', '', 'y: f32[M, N] out; z: f32[M, N] out; x: f32[M, N]',
      sizes(M=[0, 1, 3, 4, 5], N=around(16)))
def _(x):
    return dict(y=x + 1.0, z=-x)


@case('38_axis_order', 'uneven', '', 'y: f32[N] out; z: f32[K] out; x: f32[N]; u: f32[K]',
      sizes(N=[0, 1, 15, 16, 17, 97], K=[0, 1, 16, 48, 50]))
def _(x, u):
    return dict(y=x + 1.0, z=u + 2.0)


@case('39_windows', 'box', '', 'y: f32[M, N] out; x: f32[M, N]', sizes(M=[0, 1, 2, 7, 8, 9, 33], N=around(32)))
def _(x):
    M, N = x.shape
    pad = Number(np.pad(x.v, 1), 'f32')
    acc = Number(np.zeros((M, N)), 'f32')
    for r in range(3):
        for c in range(3):
            acc = acc + pad[r:r + M, c:c + N]
    return acc / 9.0


@case('39_windows', 'every_second', '', 'y: i32[N] out; x: i32[L]; first: i64',
      sizes(N=[0, 1, 63, 64, 65, 130], L=[0, 1, 127, 128, 200], first=[0, -3, 5, 1000]))
def _(x, N, first):
    at = first + 2 * np.arange(N)
    inside = (at >= 0) & (at < len(x))
    return np.where(inside, x[np.where(inside, at, 0)] if len(x) else 0, 7)


@case('39_windows', 'pads', 'T: f32 i32 f16', 'y: T[M, N] out; x: T[K, L]; v: i32',
      sizes(M=[1, 64], N=[64, 65], K=[0, 1, 60], L=[0, 60, 64], v=[-99, 0, 7]))
def _(x, T, M, N, K, L, v):
    out = np.full((M, N), v, np.float64)
    out[:K, :L] = (x.v if isinstance(x, Number) else x)[:M, :N]
    return Number(out, T) if T != 'i32' else out.astype(np.int32)


@case('39_windows', 'shift', '', 'y: f32[M, N] out; x: f32[M, N]; r: i64; c: i64',
      sizes(M=[1, 5], N=[0, 1, 31, 32, 33, 97], r=[-1, 0, 1], c=[-1, 0, 1, 50]))
def _(x, M, N, r, c):
    row, col = np.mgrid[0:M, 0:N]
    inside = (row + r >= 0) & (row + r < M) & (col + c >= 0) & (col + c < N)
    return where(inside, x[np.where(inside, row + r, 0), np.where(inside, col + c, 0)], Number(np.zeros((M, N)), 'f32'))


# ---- control flow -----------------------------------------------------------------------------


@case('40_control', 'collatz', '', 'steps: i32[N] out; n: i64[N]; limit: i32', sizes(N=[0, 1, 33, 97], limit=[200, 5]),
      data=dict(n=lambda rng, shape, t: rng.integers(-1, 400, shape)))
def _(n, limit):
    def steps(v):
        count = 0
        while v != 1 and count < limit and v >= 1:
            v, count = v // 2 if v % 2 == 0 else 3 * v + 1, count + 1
        return count
    return np.array([steps(int(v)) for v in n], np.int32)


@case('40_control', 'first_above', '', 'at: i64[M] out; before: f32[M] out; x: f32[M, N]; v: f32',
      sizes(M=[0, 1, 5], N=[0, 1, 33, 97], v=[1.5, 9.0]))
def _(x, M, N, v):
    at, before, error = np.full(M, -1), np.zeros(M), np.zeros(M)
    for m in range(M):
        above = np.flatnonzero(x.v[m] > v.v)
        at[m] = above[0] if above.size else -1
        acc = Number(0.0, 'f32')
        for k in range(at[m] if at[m] >= 0 else N):
            if x.v[m, k] > 0:
                acc = acc + x[m, k]
        before[m], error[m] = acc.v, acc.e
    return dict(at=at, before=Number(before, 'f32', error))


@case('40_control', 'turned', '', 'y: i32[M, 16] out; x: i32[M, 16]; n: i32', sizes(M=[0, 16, 48], n=[0, 1, 2, 3, 5]))
def _(x, n):
    t = x.reshape(-1, 16, 16)
    for k in range(min(n, 3)):
        t = [t + 1, 2 * t.transpose(0, 2, 1), t.transpose(0, 2, 1)][k]
    return t.reshape(-1, 16)


@case('40_control', 'trips', '', 'y: i64[N] out; x: i64[N]; n: i64; s: i64',
      sizes(N=[0, 1, 17], n=[-1, 0, 1, 2, 5, 8], s=[1, 3, 0, -1]))
def _(x, n, s):
    t, c = x.astype(object), 1
    for a in range(0, n):
        for b in range(a, n, 2):
            t = t * 3 + b
            if b == 3:
                c += 100
            elif a == 2:
                c, t = c + b, t - 1
    for a in range(n, 0, -1):
        t = t + a
    for a in range(0, n, s) if s else ():
        c = c * 2 + a
    return np.array([(int(v) + c + 2**63) % 2**64 - 2**63 for v in t], np.int64)


@case('40_control', 'sometimes', '', 'y: f32[N] inout; flag: i32[ceil(N, 64)]; x: f32[N]', sizes(N=around(64) + [200]),
      data=dict(flag=lambda rng, shape, t: rng.integers(0, 3, shape)))
def _(y, flag, x):
    out = y.v.copy()
    for k, f in enumerate(flag):
        part = x.v[64 * k:64 * k + 64]
        if f:
            out[64 * k:64 * k + 64] = (Number(part, 'f32') - (part.max() if f > 1 else part.min())).v
    return Number(out, 'f32')


@case('40_control', 'halve', '', 'y: f32[N] out; n: i32[ceil(N, 32)] out; x: f32[N]', sizes(N=around(32)),
      data=dict(x=wide))
def _(x, N):
    y, n = x.v.copy(), np.zeros(-(-N // 32), np.int32)
    for k in range(len(n)):
        part = y[32 * k:32 * k + 32]
        while np.abs(part).max() > 1:
            part *= 0.5
            n[k] += 1
    return dict(y=Number(y, 'f32'), n=n)


# ---- shapes ------------------------------------------------------------------------------------


@case('45_shapes', 'reshaped', '', 'y: f32[L, 24] out; s: f32[L, 8] out; u: f32[L, 4] out; x: f32[L, 24]',
      sizes(L=[0, 1, 2, 33]))
def _(x, L):
    t = x.reshape(L, 2, 3, 4)
    return dict(y=x * 2.0, s=total(t, 2).reshape(L, 8), u=highest(t, (1, 2)))


@case('45_shapes', 'outer', '', 'y: i32[M, N] out; a: i32[M]; b: i32[N]; c: i32[1, N]', sizes(M=[0, 1, 7, 8, 9], N=around(16)))
def _(a, b, c):
    return a[:, None] + b + 10 * c


@case('45_shapes', 'made', '', 'y: i64[M, N] out; z: f32[M, N] out; v: f32', sizes(M=[0, 1, 2, 3], N=around(24), v=[20.5]))
def _(M, N, v):
    row, col = np.mgrid[0:M, 0:N]
    return dict(y=row * 1000 + col, z=Number(np.where(col > v.v, v.v, col), 'f32'))


@case('45_shapes', 'parts', '', 'y: i64[ceil(N, 10), 3] out; z: i32[N] out', sizes(N=[0, 1, 9, 10, 11, 97]))
def _(N):
    i = np.arange(-(-N // 10))
    k = np.arange(N)
    return dict(y=np.stack([i, 10 * i, np.minimum(10, N - 10 * i)], 1), z=k % 10 * 2 + k // 10)


def pieces_of(x, first, count, step, pad):
    """count elements of x from `first` on, pad outside; first is any integer."""
    at = [first + step * i for i in range(count)]
    return np.array([x[i] if 0 <= i < len(x) else np.float32(pad) for i in at], np.float32)


FAR = [-2**63, -2**62 - 1, -2**60, -2**58, -2, -1, 0, 1, 2, 2**58, 2**60, 2**61, 2**63 - 1]


@case('39_windows', 'far', '', 'y: f32[32] out; z: f32[32] out; w: f32[8] out; x: f32[N]; at: i64[2]; k: i64',
      sizes(N=[1, 31, 33, 97], k=FAR), data=dict(at=lambda rng, shape, t: rng.choice(np.array(FAR), shape)))
def _(x, at, k):
    v, a = x.v, [int(i) for i in at]
    tiles = lambda x, k, count, pad: Number(pieces_of(x, count * k, count, 1, pad), 'f32')        # noqa: E731
    return dict(y=tiles(v, k, 32, 7) + tiles(v, a[1], 32, 2), z=Number(pieces_of(v, k, 32, 3, 5), 'f32'),
                w=tiles(v[2:], k, 8, 3) + tiles(v[1:], a[0], 8, 0))
