"""cases_variable.py -- what variables hold, when bounds are read, which accesses wait for which"""
import numpy as np
from number import Number, argmax, argmin, highest, total, where
from table import around, case, sizes

FILE = '50_variables'


def window(x, at, n):
    """n elements from `at` on, 0 where there are none."""
    return np.array([x[k] if 0 <= k < len(x) else 0 for k in range(at, at + n)], x.dtype)


@case(FILE, 'carried_index', '', 'y: i64[8] out; x: i64[N]; n: i64', sizes(N=[0, 1, 60, 200], n=[0, 1, 4, 7]))
def _(x, n):
    a, b, t = 0, 1, np.zeros(8, np.int64)
    for _ in range(n):
        old, a = a, a + int(np.fmod(window(x, a, 3).sum(), 5))
        t = t * 3 + window(x, old, 8) + window(x, b, 8)
        a, b = b, a + b
    return t + a * 1000 + b


@case(FILE, 'bounds', '', 'y: i64[1] out; n: i32', sizes(n=[0, 1, 2, 5]))
def _(n):
    a, c, d = n, 0, 2
    for k in range(n * 2 + 1):
        a, c = a - 1, c * 3 + k
    for _ in range(3):
        for k in range(d + 1):
            d += 1
            c = c * 3 + k + d
    for k in (1, 3):
        c += 2 * k + 4 * k + k
    return np.array([(a + c + d + 2 ** 63) % 2 ** 64 - 2 ** 63])


@case(FILE, 'kept', '', 'y: i32[N] out; p: i64[N]; x: i32[N]', sizes(N=[0, 1, 31, 32, 33, 97]))
def _(p, x, N):
    y = np.zeros(N, np.int32)
    for i in range(0, N, 32):
        n = min(32, N - i)
        t = x[i:i + n].max()
        t = min(t, x[0]) if t > 40 else t
        y[i:i + n] = (window(x, 0, 32) + t + window(x, int(p[i // 32]), 32))[:n]
    return y


@case(FILE, 'single', '', 'y: i32[N] out; z: i32[N] out; x: i32[N]', sizes(N=[0, 1, 2, 5, 33]))
def _(x, N):
    y = np.array([x[i + 2] if i + 2 < N else 0 for i in range(N)], np.int32)
    least = np.fmod(np.int32(-2 ** 31), np.int32(100))
    kept = [np.fmod(x[i], 100) if N > 4 else least for i in range(N)]
    z = np.array([(x[i - 3] if i >= 3 else 5) + kept[i] for i in range(N)], np.int32)
    return dict(y=y, z=z)


@case(FILE, 'odd_begin', '', 'y: i32[M] out; x: f32[M, N]', sizes(M=[0, 1, 3], N=[0, 1, 33, 34, 40, 64, 65, 68, 600, 2000]))
def _(x):
    return argmax(x.v, 1) * 64 + argmin(x.v[:, 33:66], 1)


@case(FILE, 'places', '', 'y: f32[M, N] out; x: f32[M, N]', sizes(M=[0, 1, 3], N=around(256) + [40001]))
def _(x, N):
    k = np.arange(N, dtype=np.int32)
    tiny = Number(k.view(np.float32), 'f32')
    s = total(x, 1, keepdims=True) * 0.0
    return x + Number(s.v, 'f32') + tiny + Number(k % 256, 'f32') + Number(k, 'f32')


@case(FILE, 'moving', '', 'y: i32[M, 300] inout; c: i32[M]', sizes(M=[0, 1, 2, 5]),
      data=dict(c=lambda rng, shape, t: rng.integers(0, 40, shape)))
def _(y, c):
    y = y.copy()
    for r in range(len(c)):
        y[r] += 5
        y[r, 3:203] *= 6 if c[r] > 20 else 3
        for k in range(c[r]):
            y[r, k:k + 200] = y[r, k:k + 200] * 3 + k
        y[r, 9:209] += 3
    return y


@case(FILE, 'held_by_all', '', 'y: f32[M] out; z: f32[M, 256] out; x: f32[M, 256]', sizes(M=[0, 1, 4, 7]))
def _(x, M):
    y = highest(x, 1) * 8.0
    return dict(y=y, z=x + y.reshape(M, 1))


@case(FILE, 'many_sizes', '', 'y: i32[N] out; x: i32[N]', sizes(N=[0, 1, 16, 50, 97]))
def _(x):
    return x + sum(x[:k].max(initial=-2 ** 31) for k in range(17, 87)).astype(np.int32) if len(x) else x


@case(FILE, 'rows_and_vector', '', 'y: i64[M, N] out; x: i64[M, N]; v: i64[M]; n: i32',
      sizes(M=[0, 1, 16, 33, 100, 300, 512], N=[0, 5, 16, 18], n=[0, 2]))
def _(x, v, n):
    return x + n * v.min(initial=3 if len(v) == 0 else 2 ** 63 - 1) + n * (n - 1) // 2 if len(v) else x


@case(FILE, 'stored_twice', '', 'y: f32[M, N] out; x: f32[M, N]; m: bool[M, N]',
      sizes(M=[0, 1, 5], N=[0, 1, 7, 33, 300]))
def _(x, m):
    return where(m, 0.0, x)
