"""cases_gather.py -- index tiles: gather, scatter"""
import numpy as np
from number import Number, argmax, cast, highest, total
from table import around, case, sizes


def pick(x, *index, pad=0.0):
    """x[index..], which broadcast together; pad where one of them is outside."""
    index = np.broadcast_arrays(*[np.asarray(i, np.int64) for i in index])
    ok = np.ones(index[0].shape, bool)
    for i, n in zip(index, x.v.shape if isinstance(x, Number) else x.shape):
        ok &= (i >= 0) & (i < n)
    if 0 in (x.v.shape if isinstance(x, Number) else x.shape):
        return Number(np.full(ok.shape, pad), x.t) if isinstance(x, Number) else np.full(ok.shape, pad)
    at = tuple(np.where(ok, i, 0) for i in index)
    if isinstance(x, Number):
        return Number(np.where(ok, x.v[at], pad), x.t, np.where(ok, x.e[at], 0))
    return np.where(ok, x[at], pad)


def near(extent):
    """Indices around 0 .. extent, some outside."""
    return lambda rng, shape, t: rng.integers(0 if t[0] == 'u' else -2, extent + 3, shape)


def order(rng, shape, t):
    return rng.permutation(shape[0])


def col(n):
    return np.arange(n)[None, :]


# ---- 18_embedding -------------------------------------------------------------------------------


@case('18_embedding', 'embedding', 'T: f32 bf16', 'out: T[N, D] out; ids: i32[N]; wte: T[V, D]; wpe: T[N, D] opt',
      sizes(N=[0, 1, 3, 4, 5, 13], D=[0, 1, 31, 127, 128, 129, 264], V=[0, 1, 7]), data=dict(ids=near(7)))
def _(ids, wte, wpe, D):
    t = pick(wte, ids[:, None], col(D))
    return t + wpe if wpe is not None else t


@case('examples/09_gather', 'embedding', 'T: f32 bf16', 'out: T[N, D] out; ids: i32[N]; table: T[V, D]',
      sizes(N=[0, 1, 3, 4, 5], D=[1, 127, 128, 136], V=[0, 1, 7]), data=dict(ids=near(7)))
def _(ids, table, D):
    return pick(table, ids[:, None], col(D))


@case('examples/09_gather', 'inverse', '', 'place: i32[N] inout once; order: i32[N]', sizes(N=[0, 1, 255, 256, 257, 600]),
      data=dict(order=order))
def _(place, order):
    place[order] = np.arange(len(order))
    return place


@case('60_gather', 'embedding_bag', '', 'out: f32[N, D] out; ids: i32[N, L]; wte: f32[V, D]',
      sizes(N=[1, 3, 4, 5], D=[1, 31, 32, 48], V=[7], L=[0, 1, 3]), data=dict(ids=near(7)))
def _(ids, wte, N, D, L):
    acc = Number(np.zeros((N, D)), 'f32')
    for k in range(L):
        acc = acc + pick(wte, ids[:, k, None], col(D))
    return acc


# ---- 60_gather ----------------------------------------------------------------------------------


@case('60_gather', 'pages', 'T: f32 bf16', 'y: T[B, MP, PS, D] out; k: T[P, PS, KH, D]; table: i32[B, MP]; head: i32',
      sizes(B=[0, 1, 2], MP=[1, 3, 4, 5], PS=[3, 16], D=[24, 64], P=[6], KH=[3], head=[-1, 0, 2, 3]),
      data=dict(table=near(6)))
def _(k, table, head, PS, D):
    return pick(k, table[:, :, None, None], np.arange(PS)[:, None], head, np.arange(D))


@case('60_gather', 'bilinear', '', 'y: f32[M, N] out; image: f32[H, W]; u: f32[M, N]; v: f32[M, N]',
      sizes(M=[0, 1, 2, 3], N=around(32), H=[1, 5], W=[1, 4]),
      data=dict(u=lambda rng, s, t: rng.uniform(-2, 7, s), v=lambda rng, s, t: rng.uniform(-2, 6, s)))
def _(image, u, v):
    r, c = np.floor(u.v), np.floor(v.v)
    fr, fc = u - Number(r, 'f32'), v - Number(c, 'f32')
    def row(r):
        return pick(image, r, c) * (1.0 - fc) + pick(image, r, c + 1) * fc
    return row(r) * (1.0 - fr) + row(r + 1) * fr


@case('60_gather', 'planes', 'T: f32 i8 f16', 'y: T[A, B, C] out; x: T[K, C]; at: i64[A, B]',
      sizes(A=[1, 2, 3, 4], B=[1, 4, 5], C=[1, 23, 24, 25, 48], K=[9]),
      data=dict(at=lambda rng, s, t: rng.integers(-2, 12, s) * rng.choice([1, 1, 1, 2**40, -2**62], s)))
def _(x, at, C):
    return pick(x, at[:, :, None], np.arange(C), pad=0)


@case('60_gather', 'across', '', 'y: f32[M, N] out; x: f32[N, K]; rows: i32[M]',
      sizes(M=[0, 1, 7, 8, 9], N=around(16), K=[1, 6]), data=dict(rows=near(6)))
def _(x, rows, N):
    return pick(x, col(N), rows[:, None])


def indices(rng, shape, t):
    edge = 2 ** (int(t[1:]) - (t[0] == 'i')) - 1
    v = rng.integers(0 if t[0] == 'u' else -3, 110, shape).astype(object)
    special = rng.integers(0, 12, shape)
    v[special == 0] = edge
    v[special == 1] = -edge - 1 if t[0] == 'i' else edge // 2 + 1
    return v.astype({'i': 'i', 'u': 'u'}[t[0]] + str(int(t[1:]) // 8))


@case('60_gather', 'by_type', 'I: i32 i8 u8 i16 u16 u32 i64 u64', 'y: f32[N] out; x: f32[K]; z: f32[100, 256]; at: I[N]',
      sizes(N=around(64), K=[0, 1, 100]), data=dict(at=indices))
def _(x, z, at):
    at = np.where(at.astype(object) > 10**6, -1, at.astype(object)).astype(np.int64)
    return pick(x, at, pad=-1.0) + pick(z, 99, at, pad=0.5)


@case('60_gather', 'shifted', '', 'y: f32[M, N] out; s: f32[M, ceil(N, 40)] out; x: f32[K, N]; at: i32[M]; by: i64',
      sizes(M=[1, 3, 4, 5], N=[1, 39, 40, 41, 80, 97], K=[5], by=[0, 3, -2, 41, 8]), data=dict(at=near(5)))
def _(x, at, N, by):
    n = -(-N // 40) * 40
    c = np.arange(n) - by
    t = pick(x, at[:, None], c[None, :], pad=7.0)
    sums = []
    for j in range(0, n, 40):
        inside = (c[j:j + 40] >= 0) & (c[j:j + 40] < N)
        sums.append(total(Number(np.where(inside, t.v[:, j:j + 40], 0.0), 'f32'), 1, keepdims=True))
    return dict(y=t[:, :N], s=Number(np.concatenate([s.v for s in sums], 1), 'f32',
                                     np.concatenate([s.e for s in sums], 1)))


@case('60_gather', 'rows', 'T: f32 bf16', 'y: T[M, N] out; x: T[K, N]; at: u32[M]',
      lambda edges: sizes(M=[0, 1, 2, 3], N=around(4), K=[3]) + sizes(M=[3], N=[e + d for e in edges[::3] for d in (0, 1)], K=[3]),
      data=dict(x=lambda rng, s, t: rng.uniform(0.5, 2, s), at=lambda rng, s, t: rng.integers(0, 4, s)))
def _(x, at, N):
    t = cast(pick(x, at[:, None], col(N)), 'f32')
    return cast(t / total(t, 1, keepdims=True), x.t)


@case('60_gather', 'turned', '', 'y: i32[M, N] inout', sizes(M=[0, 1, 3, 4, 5, 8], N=[1, 2, 23, 24, 25, 48, 61]))
def _(y, M, N):
    y = y.copy()
    for i in range(0, M, 4):
        for j in range(0, N, 24):
            part = y[i:i + 4, j:j + 24]
            part[...] = part[:, ::-1].copy() * 2
            part[...] = part[:, ::-1].copy()
            part[:3, 0] = 100
    return y


@case('60_gather', 'permuted', 'T: f32 bf16 u8', 'y: T[M, N] inout once; x: T[M, N]; order: i32[M]',
      sizes(M=[0, 1, 3, 4, 5, 17], N=around(64)), data=dict(order=order))
def _(y, x, order):
    if not isinstance(y, Number):
        y[order] = x
        return y
    v = y.v.copy()
    v[order] = x.v
    return Number(v, y.t)


@case('60_gather', 'diagonal', '', 'y: f32[N, N] inout once; x: f32[N]; n: i64', sizes(N=[0, 1, 15, 16, 17, 48, 97], n=[1, 3]))
def _(y, x, N, n):
    v = y.v.copy()
    v[np.arange(N), np.arange(N)] = x.v
    if n > 2:
        v[np.arange(N - 1), np.arange(1, N)] = -x.v[:-1]
    return Number(v, 'f32')


@case('60_gather', 'clash', '', 'y: f32[M, M] out; x: f32[K, K]; at: i32[M]', sizes(M=[0, 1, 7, 8, 9, 17], K=[5]), data=dict(at=near(5)))
def _(x, at, M):
    at = np.concatenate([at, np.zeros(-M % 8, at.dtype)])     # the padding reads element 0
    other = np.arange(len(at))[:, None] // 8 * 8 + np.arange(len(at))[None, :] % 8
    return pick(x, at[:, None], at[other])[:M, :M]


@case('60_gather', 'after_reduction', '', 'y: f32[M, N] out; x: f32[M, N]; w: f32[K, N]; at: i32[M]',
      lambda edges: sizes(M=[0, 1, 2, 3], N=[1, 31, 32, 33, 97], K=[5, 40]) + sizes(M=[3], N=[e + d for e in edges[::3] for d in (0, 1)], K=[5]),
      data=dict(at=near(5)))
def _(x, w, at, N):
    best = argmax(x.v, 1)
    return x - highest(x, 1, keepdims=True) + pick(w, best[:, None], col(N)) * pick(w, at[:, None] + 1, col(N))


@case('60_gather', 'between', '', 'y: f32[A, B, C] out; x: f32[B, K, C]; at: u16[A]', sizes(A=[1, 2, 3, 4], B=[4], C=[1, 15, 16, 17], K=[3]),
      data=dict(at=near(3)))
def _(x, at, B, C):
    return pick(x, np.arange(B)[:, None], at[:, None, None], np.arange(C))


@case('60_gather', 'strided', '', 'y: f32[M, N] out strided; x: f32[K, N] strided; at: i32[M] strided', sizes(M=[0, 1, 4, 5], N=around(16), K=[3]),
      data=dict(at=near(3)))
def _(x, at, N):
    return pick(x, at[:, None], col(N))


@case('60_gather', 'carried', '', 'y: i32[M] inout; next: i32[K]; n: i32', sizes(M=around(64), K=[0, 1, 50], n=[0, 1, 3, 9]),
      data=dict(y=near(50), next=near(50)))
def _(y, next, n, M):
    y = np.concatenate([y, np.zeros(-M % 64, y.dtype)])
    part = np.arange(len(y)) // 64
    for p in range(-(-M // 64)):
        at, own = y[part == p], np.arange(64) + 64 * p < M
        for _ in range(n):
            at = pick(next, at, pad=-1)
            if np.all(at[own] < 0):
                break
        y[part == p] = at
    return y[:M]


@case('60_gather', 'whole_scatter', '', 'y: f32[M, N] inout once; x: f32[M, N]; order: i32[M]',
      lambda edges: sizes(M=[0, 1, 2, 3, 5], N=[1, 31, 32, 33]) + sizes(M=[3], N=[e + d for e in edges[::3] for d in (0, 1)]) + sizes(M=[1], N=[max(edges, default=64) + 5]),
      data=dict(x=lambda rng, s, t: rng.uniform(0.5, 2, s), order=order))
def _(y, x, order):
    t = x / total(x, 1, keepdims=True)
    v, e = y.v.copy(), y.e + np.zeros_like(y.v)
    v[order], e[order] = t.v, t.e
    return Number(v, 'f32', e)


@case('60_gather', 'flags', '', 'y: bool[N] out; x: bool[K]; at: i32[N]', sizes(N=around(32), K=[0, 1, 20]), data=dict(at=near(20)))
def _(x, at):
    return pick(x, at, pad=1)


@case('60_gather', 'bag', '', 'y: f32[M, N] out; x: f32[K, N]; at: i32[M, L]', sizes(M=[0, 1, 4, 5], N=around(32), K=[6], L=[0, 1, 7, 8]),
      data=dict(at=near(6)))
def _(x, at, N):
    return total(pick(x, at[:, :, None], np.arange(N)), 1)


@case('60_gather', 'each_kind', '', 'y: f32[M] out; x: f32[A, B, C, D]; at: i32[M]; n: u64', sizes(M=around(32), A=[4], B=[1, 3], C=[2], D=[3], n=[0, 2, 2**63 + 1]),
      data=dict(at=near(5)))
def _(x, at, n):
    n = n if n < 2**62 else -1
    half = np.where(at < 0, -(-at // 2), at // 2)
    return pick(x, at, n, half, at % 3) + pick(x, at, 0, 0, at - 1)


@case('60_gather', 'rearranged', '', 'y: f32[M, N] inout; r: i32[M]',
      lambda edges: sizes(M=[0, 1, 3, 4, 5, 11], N=[1, 31, 32, 33]) + sizes(M=[3], N=[e + d for e in edges[::3] for d in (-1, 0) if e < 8000]),
      data=dict(y=lambda rng, s, t: rng.uniform(0.5, 2, s), r=near(4)))
def _(y, r, M, N):
    v, e = y.v * 2.0, np.zeros_like(y.v)
    for i in range(0, M, 4):
        n = min(4, M - i)
        u = pick(Number(v[i:i + n].copy(), 'f32'), r[i:i + n, None], col(N))
        u = u + total(u, 1, keepdims=True)
        for k in range(n):
            if 3 - k < n:
                v[i + 3 - k], e[i + 3 - k] = u.v[k], u.e[k]
    return Number(v, 'f32', e)


@case('60_gather', 'scalars', '', 'y: f32[M, N] out; x: f32[M, N]; w: u64[K]', sizes(M=[0, 1, 4, 5, 9], N=[1, 31, 32, 33, 70], K=[1, 3]),
      data=dict(w=lambda rng, s, t: rng.integers(0, 4, s)))
def _(x, w, M, N):
    rows = []
    for i in range(0, M, 4):
        part = x[i:min(i + 4, M)]
        blocks = []
        for j in range(0, N, 32):
            c = j + np.arange(min(32, N - j))
            r = pick(x, np.argmax(part.v[:, c].max(1)), c)
            at = int(w[i // 4]) if i // 4 < len(w) else 0
            for k in range(3):
                r = r + pick(x, at, c + k, pad=3.0)
                at = int(w[at]) if at < len(w) else 1000
            blocks.append(part[:, c] + r)
        rows.append((np.concatenate([b.v for b in blocks], 1), np.concatenate([b.e for b in blocks], 1)))
    if not rows:
        return x
    return Number(np.concatenate([v for v, e in rows]), 'f32', np.concatenate([e for v, e in rows]))
