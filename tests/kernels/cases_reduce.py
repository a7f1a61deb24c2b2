"""cases_reduce.py -- reductions along rows, columns and several axes"""
import numpy as np
from inputs import LONG, rows, any_float, any_int, for_products
from number import Number, argmax, argmin, cast, highest, lowest, mean, product, total
from table import around, case, sizes


@case('34_row_reductions', 'row_floats', 'T: f32 f64 f16 bf16',
      's: T[M] out; p: T[M] out; hi: T[M] out; lo: T[M] out; av: T[M] out; at: i32[M] out; least: i32[M] out; x: T[M, N]',
      rows, data=dict(x=for_products))
def _(x):
    return dict(s=total(x, 1), p=product(x, 1), hi=highest(x, 1), lo=lowest(x, 1), av=mean(x, 1), at=argmax(x.v, 1),
                least=argmin(x.v, 1))


@case('34_row_reductions', 'row_ints', 'T: i32 i64',
      's: T[M] out; hi: T[M] out; lo: T[M] out; at: i32[M] out; some: bool[M] out; every: bool[M] out; x: T[M, N]',
      rows, data=dict(x=any_int))
def _(x):
    info = np.iinfo(x.dtype)
    return dict(s=np.sum(x, 1, dtype=x.dtype), hi=np.max(x, 1, initial=info.min), lo=np.min(x, 1, initial=info.max),
                at=argmax(x, 1), some=np.any(x > 0, 1), every=np.all(x > 0, 1))


# The one extreme value of a row stands at each place in turn; each element counts once in the sum.
@case('34_row_reductions', 'row_ints', 'T: i64',
      's: T[M] out; hi: T[M] out; lo: T[M] out; at: i32[M] out; some: bool[M] out; every: bool[M] out; x: T[M, N]',
      [dict(M=n, N=n) for n in (96, 576, 640, 768)], table=True,
      data=dict(x=lambda rng, shape, t: rng.integers(-2**40, 0, shape) + 2**42 * np.eye(*shape, dtype=np.int64)))
def _(x):
    return dict(s=np.sum(x, 1), hi=np.diag(x), lo=np.min(x, 1), at=np.arange(len(x)), some=np.ones(len(x), bool),
                every=np.zeros(len(x), bool))


@case('34_row_reductions', 'row_narrow', 'T: i8 i16', 's: i32[M] out; hi: T[M] out; n: i32[M] out; x: T[M, N]', rows,
      data=dict(x=any_int))
def _(x):
    return dict(s=np.sum(x, 1, dtype=np.int32), hi=np.max(x, 1, initial=np.iinfo(x.dtype).min), n=np.sum(x > 3, 1))


@case('34_row_reductions', 'row_bytes', '', 's: u32[M] out; hi: u8[M] out; lo: u8[M] out; x: u8[M, N]', rows,
      data=dict(x=any_int))
def _(x):
    return dict(s=np.sum(x, 1, dtype=np.uint32), hi=np.max(x, 1, initial=0), lo=np.min(x, 1, initial=255))


@case('34_row_reductions', 'row_wide', 'T: f16 bf16', 's: f32[M] out; x: T[M, N]', sizes(M=[1, 2], N=[1, 1000, 4096]),
      data=dict(x=lambda rng, shape, t: np.full(shape, 100.0)))
def _(x):
    return total(cast(x, 'f32'), 1)


@case('35_columns', 'column_sum', 'T: f32 bf16 i32', 's: T[N] out; x: T[M, N]', sizes(M=around(16), N=around(32)))
def _(x):
    if not isinstance(x, Number):
        return np.sum(x, 0, dtype=x.dtype)
    acc = Number(np.zeros((16, x.shape[1])), x.t)
    for k in range(0, x.shape[0], 16):
        acc = acc + Number(np.pad(x.v[k:k + 16], ((0, 16 - len(x.v[k:k + 16])), (0, 0))), x.t)
    return total(acc, 0)


@case('35_columns', 'column_max', '', 'hi: f32[N] out; x: f32[M, N]', sizes(M=around(8), N=around(48)),
      data=dict(x=any_float))
def _(x):
    return highest(x, 0)


@case('35_columns', 'column_centre', '', 'y: f32[M, N] out; x: f32[M, N]', sizes(M=around() + LONG, N=[0, 1, 7, 8, 9, 33]))
def _(x):
    return x - mean(x, 0, keepdims=True)


@case('35_columns', 'tile_sums', '',
      'r: f32[M, ceil(N, 47)] out; c: f32[ceil(M, 33), N] out; a: f32[ceil(M, 33), ceil(N, 47)] out; x: f32[M, N]',
      sizes(M=[0, 1, 32, 33, 34, 66, 97], N=[0, 1, 46, 47, 48, 97]))
def _(x):
    M, N = x.shape
    rs, cs = range(0, M, 33), range(0, N, 47)
    put = lambda shape, pieces: Number(np.array([p.v for p in pieces]).reshape(shape), 'f32',
                                       np.array([p.e for p in pieces]).reshape(shape))
    r = [total(x[m, c:c + 47]) for m in range(M) for c in cs]
    c = [total(x[k:k + 33, n]) for k in rs for n in range(N)]
    a = [total(x[k:k + 33, c:c + 47]) for k in rs for c in cs]
    return dict(r=put((M, len(cs)), r), c=put((len(rs), N), c), a=put((len(rs), len(cs)), a))


def blocks(x, f, axes, steps):
    """f over blocks of `steps` along `axes`, which leaves one element of each block."""
    for a, s in zip(axes, steps):
        n = x.shape[a]
        parts = [x[tuple(slice(k, k + s) if i == a else slice(None) for i in range(len(x.shape)))] for k in range(0, n, s)]
        shape = tuple(1 if i == a else d for i, d in enumerate(x.shape))
        parts = [f(p, a, keepdims=True) for p in parts]
        join = lambda get: (np.concatenate([get(p) for p in parts], a) if parts
                            else np.zeros(tuple(0 if i == a else d for i, d in enumerate(shape))))
        x = Number(join(lambda p: p.v), x.t, join(lambda p: p.e))
    return x


@case('36_odd_tiles', 'boxes', '',
      'y: f32[A, B, C] out; a: f32[ceil(A, 3), B, C] out; b: f32[A, ceil(B, 5), C] out; c: f32[A, B, ceil(C, 7)] out; '
      'ac: f32[ceil(A, 3), B, ceil(C, 7)] out; x: f32[A, B, C]', sizes(A=[0, 1, 3, 4], B=[0, 1, 5, 11], C=[0, 1, 7, 8, 20]))
def _(x):
    return dict(y=x * 2.0 + 1.0, a=blocks(x, total, [0], [3]), b=blocks(x, highest, [1], [5]),
                c=blocks(x, lowest, [2], [7]), ac=blocks(x, total, [0, 2], [3, 7]))


@case('36_odd_tiles', 'odd_sums', '', 's: i64[M, ceil(N, W)] out; x: i64[M, N]',
      sizes(W=[1, 3, 31, 33, 47, 63, 65, 96, 127, 129], M=[2], N=[0, 1, 63, 200]), data=dict(x=any_int))
def _(x, W):
    parts = [np.sum(x[:, k:k + W], 1, dtype=np.int64) for k in range(0, x.shape[1], W)]
    return np.stack(parts, 1) if parts else np.zeros((x.shape[0], 0), np.int64)


@case('36_odd_tiles', 'thin', '', 'y: f32[M, N] out; z: f32[M, N] out; x: f32[M, N]',
      sizes(M=[0, 1, 15, 16, 17, 33], N=[0, 1, 2, 5]))
def _(x):
    tops = [highest(x[k:k + 16], 0, keepdims=True).v.repeat(min(16, x.shape[0] - k), 0) for k in range(0, x.shape[0], 16)]
    return dict(y=x - x, z=x - Number(np.concatenate(tops) if tops else x.v, 'f32'))
