"""cases_axes.py -- every axis of every rank, whole axes in every place, extents of 0 and 1"""
import numpy as np
from number import Number, argmax, argmin, highest, total
from table import case, sizes

TILE = (2, 3, 1, 2, 5)
REDUCED = dict(s0=(0,), s1=(1,), s2=(2,), s3=(3,), s4=(4,), s024=(0, 2, 4), s13=(1, 3), s01234=(0, 1, 2, 3, 4))


def blocked(f, x, axes, steps, t):
    """f over pieces of `steps` along `axes`, keeping each as an extent."""
    for a, step in zip(axes, steps):
        parts = [np.expand_dims(f(np.take(x, range(k, min(k + step, x.shape[a])), a), a), a)
                 for k in range(0, x.shape[a], step)]
        x = np.concatenate(parts, a) if parts else np.zeros([0 if k == a else n for k, n in enumerate(x.shape)], t)
    return x


def written(axes):
    return '[' + ', '.join(f'ceil({n}, {w})' if a in axes else n for a, (n, w) in enumerate(zip('ABCDE', TILE))) + ']'


@case('87_axes', 'axes5', '', ''.join(f'{n}: i64{written(axes)} out; ' for n, axes in REDUCED.items())
      + f'top: i32{written((3,))} out; x: i64[A, B, C, D, E]',
      sizes(A=[1, 3], B=[3, 4], C=[1, 2], D=[1, 5], E=[1, 6]) + [dict(dict.fromkeys('ABCDE', 2), **{n: 0}) for n in 'ABCDE'])
def _(x):
    add = lambda p, a: np.sum(p, a, dtype=np.int64)
    out = {n: blocked(add, x, axes, [TILE[a] for a in axes], np.int64) for n, axes in REDUCED.items()}
    return dict(out, top=blocked(argmax, x, [3], [2], np.int32))


@case('87_axes', 'tensor6', '', 'y: i16[A, B, C, D, E, F] out; x: i16[A, B, C, D, E, F]',
      sizes(A=[1, 2], B=[3], C=[1, 2], D=[1, 3], E=[2], F=[1, 5]) + [dict(dict.fromkeys('ABCDEF', 2), **{n: 0}) for n in 'ABCDEF'])
def _(x):
    cols = np.minimum(2, x.shape[3] - np.arange(x.shape[3]) // 2 * 2)
    return 2 * x - cols[:, None, None].astype(np.int16)


def whole(x, axis, other, step):
    """Sum and argmin along the whole axis, max of pieces along another."""
    if isinstance(x, Number):
        q = blocked(lambda p, a: np.max(p, a, initial=-np.inf), x.v, [other], [step], np.float64)
        return dict(s=total(x, axis), q=Number(q, x.t), at=argmin(x.v, axis))
    return dict(s=np.sum(x, axis, dtype=x.dtype), q=blocked(np.max, x, [other], [step], x.dtype), at=argmin(x, axis))


EXTENTS = [0, 1, 2, 7, 33]
LONGEST = 4096                 # the row length that 88_limits holds of either type


@case('87_axes', 'whole_first', 'T: f32 i64', 's: T[M, N] out; q: T[P, M, ceil(N, 8)] out; at: i32[M, N] out; x: T[P, M, N]',
      sizes(P=EXTENTS + [300], M=[0, 1, 3], N=[0, 1, 9]))
def _(x):
    return whole(x, 0, 2, 8)


@case('87_axes', 'whole_between', 'T: f32 i64', 's: T[P, N] out; q: T[ceil(P, 2), M, N] out; at: i32[P, N] out; x: T[P, M, N]',
      sizes(P=[0, 1, 3], M=EXTENTS + [300], N=[0, 1, 9]))
def _(x):
    return whole(x, 1, 0, 2)


@case('87_axes', 'whole_last', 'T: f32 i64',
      's: T[P, M] out; q: T[P, ceil(M, 3), N] out; at: i32[P, M] out; all_of: T[ceil(P, 2), ceil(M, 3)] out; x: T[P, M, N]',
      sizes(P=[0, 1, 3], M=[0, 1, 4], N=EXTENTS + [1000]))
def _(x):
    if not isinstance(x, Number):
        return dict(whole(x, 2, 1, 3), all_of=np.array(blocked(lambda p, a: np.sum(p, a, dtype=x.dtype), np.sum(
            x, 2, dtype=x.dtype), [0, 1], [2, 3], x.dtype)))
    v = blocked(np.sum, np.sum(x.v, 2), [0, 1], [2, 3], np.float64)
    e = blocked(np.sum, np.sum(np.abs(x.v), 2), [0, 1], [2, 3], np.float64) * 2.0**-23 * (8 + 2 * (6 * x.shape[2] + 1)**0.5)
    return dict(whole(x, 2, 1, 3), all_of=Number(v, 'f32', e))


@case('88_limits', 'carried', 'T: f32 bf16', 'y: T[M, N] out; x: T[M, N]; w: T[N]; b: T[N]; c: T[N]; k: i32 = 2',
      lambda edges: sizes(M=[2], N=[0, 1, 31] + [n + d for n in edges for d in (-1, 0, 1) if n + d <= LONGEST]))
def _(x, w, b, c, k):
    t, u = x, x * 2.0
    for _ in range(k):
        t = t * 0.5 + highest(t, 1, keepdims=True)
        u = u + t
    return t * w + b * u + c
