"""cases_moe.py -- mixtures of experts: the way of a token to its experts and back"""
import numpy as np
from cases_atomic import hits
from cases_gather import col, near, order, pick
from cases_mma import product
from cases_order import places
from number import Number, cast, exp, highest, total
from table import around, case, sizes


@case('17_moe', 'route', '', 'w: f32[T, K] out; ids: i32[T, K] out; logits: f32[T, E]',
      sizes(T=[0, 1, 3, 4, 5, 9], E=[2, 3, 31, 33, 48, 63, 64], K=[2]),
      data=dict(logits=lambda rng, shape, t: rng.permuted(np.tile(np.linspace(-4, 4, shape[1]), (shape[0], 1)), axis=1)))
def _(logits):
    e = exp(logits - highest(logits, 1, keepdims=True))
    p = e / total(e, 1, keepdims=True)
    at = places(logits, 1, True)[:, :2]                        # far apart, so that rounding changes no order
    top = Number(np.take_along_axis(p.v, at, 1), 'f32', np.take_along_axis(p.e, at, 1))
    return dict(w=top / total(top, 1, keepdims=True), ids=at.astype(np.int32))


@case('17_moe', 'count', '', 'cnt: i32[E] inout; ids: i32[R]', sizes(R=around(256), E=[0, 1, 5]), data=dict(ids=near(5)))
def _(cnt, ids, E):
    k, p = hits(ids, E)
    np.add.at(cnt, p, 1)
    return cnt


def experts(rng, shape, t):
    return rng.integers(0, 5, shape)


def offsets(rng, shape, t):
    return np.arange(shape[0]) * 100


@case('17_moe', 'place', '', 'pos: i32[R] out; ids: i32[R]; off: i32[E]', sizes(R=around(128, 256), E=[5]),
      data=dict(ids=experts, off=offsets))
def _(ids, off):
    return off[ids] + np.array([np.sum(ids[:r] == ids[r]) for r in range(len(ids))], np.int64)


@case('17_moe', 'invert', '', 'sorted: i32[R] inout once; pos: i32[R]', sizes(R=around(128, 256)), data=dict(pos=order))
def _(sorted, pos, R):
    sorted[pos] = np.arange(R)
    return sorted


@case('17_moe', 'offsets', '', 'off: i32[E + 1] out; cnt: i32[E]',
      lambda edges: sizes(E=sorted({n + d for n in edges for d in (0, 1)} | {0, 1, 2, 60, 5000})))
def _(cnt):
    return np.concatenate([[0], np.cumsum(cnt)]).astype(np.int32)


def joined(parts, n):
    """Blocks of rows of n columns, one below the other."""
    return Number(np.concatenate([p.v for p in parts] + [np.zeros((0, n))]), 'f32',
                  np.concatenate([p.e for p in parts] + [np.zeros((0, n))]))


@case('17_moe', 'grouped', 'T: f32 bf16',
      'y: T[P, N] out; x: T[TOK, K]; w: T[E, N, K]; row: i32[P]; expert: i32[ceil(P, 16)]',
      sizes(P=[0, 1, 16, 50], N=[1, 64, 70], K=[0, 1, 32, 41], TOK=[7], E=[3]) + sizes(P=[17], N=[9], K=[5], TOK=[0, 2], E=[0, 1]),
      data=dict(row=near(7), expert=near(3)))
def _(x, w, row, expert, P, N, K):
    rows = pick(x, row[:, None], col(K))
    mine = lambda e: w.v[e].T if 0 <= e < len(w.v) else np.zeros((K, N))
    return cast(joined([product(rows[i:i + 16], Number(mine(expert[i // 16]), w.t)) for i in range(0, P, 16)], N), x.t)


@case('17_moe', 'combine', '', 'out: bf16[T, N] out; y: bf16[R, N]; pos: i32[T, K]; wt: f32[T, K]',
      sizes(T=[0, 1, 16, 17], N=[0, 1, 63, 64, 72], R=[0, 9], K=[1, 2, 4]), data=dict(pos=near(9)))
def _(y, pos, wt, N, K):
    acc = Number(np.zeros((pos.shape[0], N)), 'f32')
    for c in range(K):
        acc = acc + wt[:, c:c + 1] * cast(pick(y, pos[:, c:c + 1], col(N)), 'f32')
    return cast(acc, 'bf16')
