"""cases_function.py -- fns with functions, tuples, statics and parts; the order of programs"""
import numpy as np
from number import Number, cast, highest, larger, lowest, total, where
from table import around, case, sizes

FILE = '60_functions'


def stacked(parts, shape, t):
    """Rows of Numbers under each other; none of them: an empty Number."""
    if not parts:
        return Number(np.zeros(shape), t)
    return Number(np.concatenate([p.v for p in parts]), t, np.concatenate([p.e for p in parts]))


@case(FILE, 'lambdas', '', 'y: f32[M, N] out; x: f32[M, N]; v: f32[N]; s: f32 = 0.75',
      sizes(M=[0, 1, 4, 7], N=around(32)))
def _(x, v, s):
    def fold(f, a, b, c): return f(f(a, b), c)

    def chain(p, q): return fold(lambda a, b: a * 0.5 + b - p, p, q, v + x)
    u = (x * s + v) * s + v
    w = x * x
    w = w + w * s + w * s
    m = fold(larger, u, x + v, x)
    return chain(chain(x, u), w) + m * m


def measured(t, scale):
    """What `measure` gives of one tile: a low and a high edge, one more, which way it went."""
    lo, hi = lowest(t, 1, keepdims=True), highest(t, 1, keepdims=True)
    s = scale(t, hi)
    inner = lowest(s, 1, keepdims=True), highest(s, 1, keepdims=True)
    if hi.v.max() > 1.5:
        return inner, hi, 1
    return (inner, lo, 2) if lo.v.min() < -1.5 else ((lo, hi), hi, 3)


@case(FILE, 'tuples', '', 'y: f32[M] out; way: i32[M] out; x: f32[M, 40]', sizes(M=[0, 1, 2, 3, 8, 33]),
      data=dict(x=lambda rng, shape, t: rng.standard_normal(shape) * np.linspace(0.2, 1.5, max(shape[0], 1))[:shape[0], None]))
def _(x, M):
    ys, ways = [], np.zeros(M, np.int32)
    for i in range(0, M, 2):
        t = x[i:i + 2]
        ((lo, hi), edge, way) = measured(t, lambda q, hi: q * 0.25 + hi)
        a, n = lo + hi * 2.0 - edge, way * 2
        m = measured(-t, lambda c, hi: c - hi)[2] * 2
        p, q = a * 2.0 - a, n + m
        q, p = q * 10 + n, p + a
        ys.append(p.reshape(-1))
        ways[i:i + 2] = q
    return dict(y=stacked(ys, [0], 'f32'), way=ways)


def powers(t, n, k):
    acc = Number(np.ones(t.shape), t.t)
    for r in range(0, n, k):
        acc = acc * t + float(r) if r % (2 * k) == 0 else acc * t - float(r) if r > k else acc + t
    for r in range(2, -2, -1):
        acc = acc + float(r) if r < 0 else acc * 0.5 + float(r)
    return acc


@case(FILE, 'instances', 'T: f32 f16', 'y: T[M, N] out; x: T[M, N]',
      sizes(M=[0, 1, 15, 17], N=[0, 1, 31, 32, 48, 64], NEG=[False, True], DEG=[2, 5]))
def _(x, NEG, DEG):
    u = powers(cast(x, 'f32'), DEG, 1)
    if NEG:
        return cast(where(u.v > 0, u, u * 0.25) if DEG > 2 else u, x.t)
    return cast(powers(larger(u, 0.0), 4, DEG) + (32.0 if x.t == 'f32' else 16.0), x.t)


@case(FILE, 'parts', '', 'y: f32[M, N] inout; z: f32[M, N] inout; x: f32[M, K]; n: i32',
      sizes(M=[0, 1, 2, 3, 7], N=[0, 1, 15, 16, 40], K=[0, 1, 8, 19], n=[0, 1, 2, 3, 5]))
def _(y, z, x, M, N, n):
    def both(a, b, f):
        t = b
        b = f(a, t)
        if len(t.v) > 1:
            b = stacked([b[:1], (t * 0.5)[:-1]], None, 'f32')
        return f(t, b), b
    out = {'y': [], 'z': []}
    for i in range(0, M, 2):
        p, q, r = y[i:i + 2], z[i:i + 2], total(x[i:i + 2], 1, keepdims=True)
        for k in range(n):
            if k == 2:
                q, p = both(q, p, lambda a, b: b - a * 0.5)
            else:
                p, q = both(p, q, lambda a, b: a * 0.5 + b * 0.25 + r)
        out['y'].append(p + q * 0.5)
        out['z'].append(q)
    return {name: stacked(parts, [0, N], 'f32') for name, parts in out.items()}


@case(FILE, 'shadows', '', 'y: f32[N] out; x: f32[N]; a: f32 = 0.5', sizes(N=around(32)))
def _(x, a):
    def inner(p, q):
        return q * 3.0 - (p - q * 3.0)
    b = x * 3.0
    f = x - b

    def g(p, q): return p * a - q + f
    t = inner(f, b)
    t = g(t, inner(b, t)) - t
    for k in range(2):
        t = g(t, inner(t, t)) + float(k)
    return t * 0.5 + b * 3.0


@case(FILE, 'optionals', '', 'y: f32[M, N] out; x: f32[M, N]; w: f32[N] opt; b: f32[N] opt', sizes(M=[0, 1, 2, 3], N=around(32)))
def _(x, w, b):
    def affine(o, w, b):
        o = o * w if w is not None else o
        return o if b is None else o + b if w is not None else o - b
    return affine(affine(x, w, b), b, w)


# ---- 61_order: what a program computes does not depend on when it runs --------------------------

ORDER = '61_order'


@case(ORDER, 'grouped', '', 'y: i64[B, M, N] out; x: i64[B, M, N]', sizes(B=[0, 1, 3], M=[0, 1, 11, 12, 13, 40], N=[0, 1, 16, 35]))
def _(x, B, M, N):
    b, i, j = np.ogrid[:B, :M, :N]
    return x * 2 + b * 1000000 + i // 4 * 1000 + j // 16


@case(ORDER, 'backwards', '', 'y: f32[M, N] out; x: f32[M, N]', sizes(M=[0, 1, 4, 5, 9], N=[0, 1, 64, 65, 200]))
def _(x, M, N):
    i, j = np.ogrid[:M, :N]
    tops = [highest(x[:, a:a + 64], 1, keepdims=True) for a in range(0, N, 64)]
    if not tops:
        return x
    top = np.concatenate([np.repeat(t.v, min(64, N - 64 * a), 1) for a, t in enumerate(tops)], 1)
    return x - Number(top, 'f32') + Number(i // 2 * 8.0 - j // 64, 'f32')


@case(ORDER, 'last_first', '', 'y: i32[N] out; z: i32[ceil(N, 4)] out; x: i32[N]', sizes(N=[0, 1, 4, 5, 511, 513]))
def _(x, N):
    return dict(y=x + (np.arange(N) // 4).astype(np.int32),
                z=np.array([x[a:a + 4].sum(dtype=np.int32) for a in range(0, N, 4)], np.int32))


@case(ORDER, 'rows', '', 'y: f32[M, K, N] out; x: f32[M, K, N]; n: i32', sizes(M=[0, 1, 5], K=[0, 1, 3], N=[0, 1, 33, 256, 4100], n=[0, 1, 5]))
def _(x, M, K, n):
    t = x
    for k in range(n):
        t = t * 0.5 + float(k)
    for k in range(n, 0, -2):
        t = t if k == 3 else t + float(k)
    i, j, _ = np.ogrid[:M, :K, :1]
    return t + Number(10.0 * i + j, 'f32')
