"""cases_atomic.py -- elements that all programs update"""
import numpy as np
from cases_gather import near, order, pick
from inputs import any_float
from number import Number, decode, encode, larger, round_to, smaller
from table import around, case, sizes

NUMBERS = 'T: i32 u32 i64 u64 f32 f64 f16 bf16'
WHOLE = 'T: i32 u32 i64 u64'
INT = np.int64


def small(rng, shape, t):
    """Whole numbers: sums of them are exact in any order, in bf16 too."""
    return rng.integers(0 if t[0] == 'u' else -3, 4, shape)


def bits(rng, shape, t):
    return rng.integers(0, 2**int(t[1:]), shape, dtype=np.uint64).astype('iu'[t[0] == 'u'] + str(int(t[1:]) // 8))


def whole(x):
    """The values of integers or Numbers."""
    return x.v if isinstance(x, Number) else x


def alike(x, v):
    return Number(v, x.t) if isinstance(x, Number) else v


def hits(at, n):
    """The updates that hit something: their numbers and places."""
    at = np.asarray(at, INT)
    k = np.flatnonzero((at >= 0) & (at < n))
    return k, at[k]


def added_rows(table, ids, rows, V):
    """table with rows added where ids says; f32, in any order."""
    k, p = hits(ids, V)
    v, size, n = table.v.copy(), np.abs(table.v), np.ones(V)
    np.add.at(v, p, rows.v[k])
    np.add.at(size, p, np.abs(rows.v[k]))
    np.add.at(n, p, 1)
    return Number(v, 'f32', np.where(n > 1, 8 + 2 * np.sqrt(n), 0)[:, None] * 2.0**-23 * size)


@case('18_embedding', 'embedding_bwd', '', 'dw: f32[V, D] inout; ids: i32[N]; dout: bf16[N, D]',
      sizes(N=[0, 1, 3, 4, 5, 13], D=[0, 1, 31, 127, 128, 129, 264], V=[1, 7]), data=dict(ids=near(7)), unordered=True)
def _(dw, ids, dout, V):
    return added_rows(dw, ids, dout, V)


@case('examples/09_gather', 'embedding_grad', '', 'dtable: f32[V, D] inout; ids: i32[N]; dout: f32[N, D]',
      sizes(N=[0, 1, 4, 5, 13], D=[1, 127, 128, 136], V=[1, 7]), data=dict(ids=near(7)), unordered=True)
def _(dtable, ids, dout, V):
    return added_rows(dtable, ids, dout, V)


@case('61_atomics', 'added', NUMBERS, 'h: T[K] inout; x: T[N]; at: i32[N]', sizes(N=around(64), K=[1, 7]),
      data=dict(h=small, x=small, at=near(7)))
def _(h, x, at, K):
    k, p = hits(at, K)
    v = whole(h).copy()
    np.add.at(v, p, whole(x)[k])
    return alike(h, v)


def nan_sometimes(rng, shape, t):
    return any_float(rng, shape, t) if t[0] in 'fb' else rng.integers(0 if t[0] == 'u' else -100, 100, shape)


@case('61_atomics', 'extremes', NUMBERS, 'low: T[K] inout; high: T[K] inout; x: T[N]; at: i16[N]',
      sizes(N=around(64), K=[1, 30]), data=dict(low=nan_sometimes, high=nan_sometimes, x=nan_sometimes, at=near(30)),
      same_bits=True)
def _(low, high, x, at, K):
    k, p = hits(at, K)
    a, b, x = whole(low).copy(), whole(high).copy(), whole(x)
    for i, q in zip(k, p):
        for all, least in ((a, True), (b, False)):
            u, v = all[q], x[i]
            if u != u or v != v:
                all[q] = np.nan
            elif u == v:
                all[q] = v if np.signbit(v) == least else u
            else:
                all[q] = min(u, v) if least else max(u, v)
    return dict(low=alike(low, a), high=alike(high, b))


@case('61_atomics', 'bits', WHOLE, 'a: T[K] inout; o: T[K] inout; e: T[K] inout; x: T[N]; at: u8[N]',
      sizes(N=around(64), K=[1, 7, 300]), data=dict(a=bits, o=bits, e=bits, x=bits, at=near(7)))
def _(a, o, e, x, at, K):
    k, p = hits(at, K)
    np.bitwise_and.at(a, p, x[k])
    np.bitwise_or.at(o, p, x[k])
    np.bitwise_xor.at(e, p, x[k])
    return dict(a=a, o=o, e=e)


@case('61_atomics', 'swapped', NUMBERS, 'y: T[N] out; h: T[K] inout; x: T[N]; at: i32[N]', sizes(N=around(48), K=[1, 40, 90]),
      data=dict(at=order))
def _(h, x, at, K):
    k, p = hits(at, K)
    v, y = whole(h).copy(), np.zeros(len(at), whole(h).dtype)
    y[k] = v[p]
    v[p] = whole(x)[k]
    return dict(y=alike(h, y), h=alike(h, v))


@case('61_atomics', 'in_order', '', 'y: i32[5, N] out; h: i32[N] inout', sizes(N=around(96, 600), B=[96, 600]))
def _(h, N, B):
    n = -(-N // B) * B
    t = np.zeros(n, h.dtype)
    t[:N] = h
    turn = lambda v: v.reshape(-1, B)[:, ::-1].reshape(-1)           # what the same thread sees of v, back to front
    there = np.arange(n) < N
    rows, t = [], t + 5
    rows.append(turn(np.where(there, t, 0)))
    t = np.maximum(t, 40)
    rows.append(np.where(there, t, 0))
    t = np.full(n, 7 ^ 2)
    rows.append(np.where(there, t, 0))
    t = np.minimum(t, 1)
    rows.append(turn(np.where(there, t, 0)))
    t = t | 6
    rows.append(np.where(there, t, 0))
    return dict(y=np.array(rows)[:, :N], h=(t & 4)[:N])


@case('61_atomics', 'compact', '', 'y: f32[N] inout once; count: i32[1] inout; x: f32[N]', sizes(N=around(128)),
      data=dict(count=lambda rng, s, t: np.zeros(s, int)), unordered=True)
def _(y, count, x):
    kept = x.v[x.v > 0]
    n = len(kept)

    def side_by_side(out):
        if out['count'][0] != n:
            return f'count is {out["count"][0]}, not {n}'
        if not np.array_equal(np.sort(out['y'][:n]), np.sort(kept)):
            return 'other elements than the positive ones'
        return None if np.array_equal(out['y'][n:], y.v[n:]) else 'more elements than the positive ones'
    return dict(y=side_by_side)


@case('61_atomics', 'tickets', '', 'y: i64[M, N] out; next: i64[1] inout; x: i64[M, N]',
      sizes(M=[0, 1, 2, 3, 7], N=[1, 99, 100, 101, 250]), data=dict(next=lambda rng, s, t: np.full(s, 10**12)), unordered=True)
def _(next, x, M, N):
    def tickets(out):
        drawn = out['y'] - x - 10**12
        parts = [drawn[i:i + 2, j:j + 100] for i in range(0, M, 2) for j in range(0, N, 100)]
        if any(p.min() != p.max() for p in parts):
            return 'a program has two tickets'
        if sorted(p.flat[0] for p in parts) != list(range(len(parts))):
            return 'the tickets are not 0, 1, ..'
        return None if out['next'][0] == 10**12 + len(parts) else 'tickets are left over'
    return dict(y=tickets)


@case('61_atomics', 'row_marks', '', 'y: f32[M, N] out; h: f32[M] inout; x: f32[M, N]',
      sizes(M=[0, 1, 3, 4, 5], N=[1, 63, 64, 65, 128, 200]), data=dict(h=small))
def _(h, x, M, N):
    steps = -(-N // 64)
    return dict(y=x + Number(h.v[:, None] + np.arange(N)[None, :] // 64, 'f32'), h=Number(h.v + steps, 'f32'))


@case('61_atomics', 'histogram_add', '', 'h: i32[48] inout; x: u8[N]', sizes(N=around(64)),
      data=dict(x=lambda rng, s, t: rng.integers(0, 60, s)))
def _(h, x):
    return h + np.bincount(x, minlength=60)[:48]


@case('61_atomics', 'splitk', '', 'c: f32[M, N] inout; a: f32[M, K]; b: f32[K, N]; slices: i64',
      sizes(M=[1, 7, 8, 9], N=[1, 31, 32, 33], K=[0, 1, 5], slices=[1, 3, 8]), unordered=True)
def _(c, a, b, K, slices):
    size = np.abs(c.v) + np.abs(a.v) @ np.abs(b.v)
    return Number(c.v + a.v @ b.v, 'f32', (8 + 2 * np.sqrt(K + slices)) * 2.0**-23 * size)


@case('61_atomics', 'stretched', '', 'h: i32[R, C] inout; r: i32[R]; c: i32[C]', sizes(R=[1, 7, 8, 9], C=[1, 8, 19]),
      data=dict(r=near(9), c=near(19)))
def _(h, r, c, R, C):
    inside = lambda v, n: v[(v >= 0) & (v < n)]
    for i in inside(r, R):
        np.add.at(h[i], inside(c, C), 1)
        h[i, 0] += np.sum(c) * 1
    np.add.at(h[0], inside(c, C), 1000 * -(-R // 8))
    n = -(-C // 8) * 8
    h[0, 0] += -(-R // 8) * np.sum(np.arange(n) % 8)
    return h


@case('61_atomics', 'optional', '', 'y: f64[N] out; h: f64[N] inout opt; x: f64[N]', sizes(N=around(32)))
def _(h, x, N):
    if h is None:
        return dict(y=x)
    late = np.arange(N) >= 32
    return dict(y=x + Number(np.where(late, h.v, 0), 'f64'), h=Number(np.where(late, np.maximum(h.v, 0.5), h.v), 'f64'))


@case('61_atomics', 'column_sums', '', 's: f32[N] inout; x: f32[M, N]',
      lambda edges: sizes(M=[0, 1, 4, 5, 9], N=[1, 31, 33]) + sizes(M=[5], N=[e + d for e in edges[::4] for d in (0, 1) if e + d < 3000]),
      data=dict(s=small, x=small))
def _(s, x):
    return Number(s.v + x.v.sum(0), 'f32')


@case('61_atomics', 'column_marks', '', 'y: i32[M, N] out; s: i32[M, N] inout; x: i32[M, N]',
      lambda edges: sizes(M=[0, 1, 3], N=[1, 31, 33]) + sizes(M=[2], N=[e + d for e in edges[::4] for d in (-1, 0) if e < 3000]))
def _(s, x):
    return dict(y=s - s.max(1, keepdims=True, initial=-2**31), s=s + x)
