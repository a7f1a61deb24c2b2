"""cases_order.py -- order and chance: sort, topk, histogram, random"""
import numpy as np
from inputs import any_float, any_int, rows
from number import FLOATS, Number, cast, cos, exp, highest, log, sqrt, total, where
from table import around, case, sizes

NUMBERS = 'T: f32 f16 bf16 f64 i8 i16 i32 i64 u8 u16 u32 u64'


def any_number(rng, shape, t):
    """Many equals among them, NaN, both zeros and both ends."""
    v = any_float(rng, shape, t) if t in FLOATS else any_int(rng, shape, t)
    again = rng.integers(0, 3, shape) == 0
    return np.where(again, np.round(v) if t in FLOATS else v // 2 * 2, v)


def values(x):
    return x.v if isinstance(x, Number) else x


def places(x, axis, largest):
    """The places of the elements along an axis in order, equals as they were: NaN is above all, +0 above -0."""
    v = values(x)
    if v.dtype.kind != 'f':
        return np.argsort(~v if largest else v, axis=axis, kind='stable')
    nan = np.isnan(v)
    number, minus = np.where(nan, 0, v), np.signbit(v) & ~nan
    keys = (minus, -number, ~nan) if largest else (~minus, number, nan)
    return np.lexsort(keys, axis=axis)


def take(x, at, axis):
    v = np.take_along_axis(values(x), at, axis)
    return Number(v, x.t) if isinstance(x, Number) else v


def chunks(x, axis, size, f):
    """f of each chunk along an axis, put together along it."""
    n = x.shape[axis]
    cut = lambda k: x[(slice(None),) * axis + (slice(k, k + size),)]
    parts = [values(f(cut(k))) for k in range(0, n, size)]
    v = np.concatenate(parts, axis) if parts else values(f(x))
    return Number(v, x.t) if isinstance(x, Number) and v.dtype.kind == 'f' else v


def in_order(axis, size):
    return lambda x: chunks(x, axis, size, lambda c: take(c, places(c, axis, False), axis))


case('70_order', 'sort_rows', NUMBERS, 'y: T[M, N] out; x: T[M, N]', sizes(M=[0, 1, 4], N=[0, 1, 2, 36, 37, 38, 75, 150]),
     data=dict(x=any_number), same_bits=True)(in_order(1, 37))
case('70_order', 'sort_columns', 'T: f32 u16', 'y: T[M, N] out; x: T[M, N]', sizes(M=[0, 1, 32, 33, 34, 70], N=[0, 1, 5, 6]),
     data=dict(x=any_number), same_bits=True)(in_order(0, 33))
case('70_order', 'sort_middle', '', 'y: i32[A, B, C] out; x: i32[A, B, C]', sizes(A=[1, 2, 3], B=[0, 1, 6, 7, 8, 15], C=[1, 3, 4]),
     data=dict(x=any_number))(in_order(1, 7))
case('70_order', 'sort_line', '', 'y: f32[N] out; x: f32[N]', sizes(N=around(1000) + [2500]),
     data=dict(x=any_number), same_bits=True)(in_order(0, 1000))


@case('70_order', 'median', '', 'm: f32[M] out; x: f32[M, N]', sizes(M=[0, 1, 2, 5], N=[1, 2, 3, 31, 33, 48, 63, 64]))
def _(x):
    M, N = x.shape
    return take(x, places(x, 1, False), 1)[:, (N - 1) // 2] * 1.0


@case('70_order', 'argsort', 'T: f32 f64 i64 u64 u8 bf16', 'at: i32[M, N] out; x: T[M, N]',
      sizes(M=[0, 1, 2, 3], N=[0, 1, 23, 24, 25, 60]), data=dict(x=any_number))
def _(x):
    return values(chunks(Number(x.v, 'f64') if isinstance(x, Number) else x, 1, 24, lambda c: places(c, 1, True)))


@case('70_order', 'best_of_columns', 'T: f32 i64 u8', 'y: T[ceil(M, 9), 3, N] out; at: i32[ceil(M, 9), 3, N] out; x: T[M, N]',
      sizes(M=[1, 2, 3, 8, 9, 10, 20], N=[0, 1, 19, 20, 21, 45]), data=dict(x=any_number), same_bits=True)
def _(x):
    M, N = x.shape
    at = np.zeros((-(-M // 9), 3, N), np.int32)
    y = np.zeros(at.shape, values(x).dtype)
    for k in range(0, M, 9):
        p = places(x[k:k + 9], 0, True)[:3]
        at[k // 9, :len(p)] = p
        y[k // 9, :len(p)] = values(take(x[k:k + 9], p, 0))
    return dict(y=Number(y, x.t) if isinstance(x, Number) else y, at=at)


case('70_order', 'sort_beside', 'T: f32 bf16 i32', 'y: T[M, N] out; x: T[M, N]',
     lambda edges: [s for s in rows(edges, (0, 1, 6, 7, 8)) if s['N'] <= 512], data=dict(x=any_number), same_bits=True)(in_order(0, 7))


@case('70_order', 'best_beside', 'T: f32 u64', 'y: T[M, ceil(N, 6), 2] out; at: i32[M, ceil(N, 6), 2] out; x: T[M, N]',
      sizes(M=[0, 1, 2, 31, 33, 100, 1001], N=[2, 6, 7, 11, 12]), data=dict(x=any_number), same_bits=True)
def _(x):
    M, N = x.shape
    at = np.zeros((M, -(-N // 6), 2), np.int32)
    y = np.zeros(at.shape, values(x).dtype)
    for k in range(0, N, 6):
        p = places(x[:, k:k + 6], 1, True)[:, :2]
        at[:, k // 6, :p.shape[1]] = p
        y[:, k // 6, :p.shape[1]] = values(take(x[:, k:k + 6], p, 1))
    return dict(y=Number(y, x.t) if isinstance(x, Number) else y, at=at)


@case('70_order', 'sum_of_sorted', '', 'y: i32[M, 11] out; x: i32[M, K]', sizes(M=[0, 1, 2, 3], K=[0, 1, 10, 11, 12, 40]))
def _(x):
    M, K = x.shape
    y = np.zeros((M, 11), np.int32)
    for n, k in enumerate(range(0, K, 11)):
        part = np.zeros((M, 11), np.int32)
        part[:, :min(11, K - k)] = x[:, k:k + 11]
        y += np.sort(part if n % 2 == 0 else -part, 1)
    return y


@case('70_order', 'sort_kept', '', 'y: i32[M, 16] out; x: i32[M, 16]; lo: i32; hi: i32',
      sizes(M=[1, 3], lo=[-3, 0, 5, 16, 20], hi=[-1, 0, 6, 16, 40]))
def _(x, lo, hi):
    y = np.full(x.shape, -7, np.int32)
    part = np.sort(x[:, max(lo, 0):max(hi, 0)], 1)
    y[:, :part.shape[1]] = part
    return y


@case('23_topk', 'topk_chunks', '', 'val: f32[M, ceil(V, 256), K] out; idx: i32[M, ceil(V, 256), K] out; x: bf16[M, V]',
      sizes(M=[0, 1, 2], V=[0, 1, 7, 8, 9, 255, 256, 257, 600], K=[8]), data=dict(x=any_number), same_bits=True)
def _(x):
    M, V = x.shape
    val = np.full((M, -(-V // 256), 8), -np.inf)
    idx = np.full(val.shape, -1, np.int32)
    for k in range(0, V, 256):
        p = places(x[:, k:k + 256], 1, True)[:, :8]
        idx[:, k // 256, :p.shape[1]] = p + k
        val[:, k // 256, :p.shape[1]] = take(x[:, k:k + 256], p, 1).v
    return dict(val=Number(val, 'f32'), idx=idx)


def best(x, k):
    p = places(x, 1, True)[:, :k]
    return take(x, p, 1), p.astype(np.int32)


@case('70_order', 'topk_rows', '', 'val: f32[M, K] out; at: i32[M, K] out; cv: f32[M, L]',
      sizes(M=[0, 1, 3], L=[8, 9, 31, 33, 500, 1023, 1024], K=[8]), data=dict(cv=any_number), same_bits=True)
def _(cv):
    val, at = best(cv, 8)
    return dict(val=val, at=at)


@case('70_order', 'topk_rows', '', 'val: f32[M, K] out; at: i32[M, K] out; cv: f32[M, L]', sizes(M=[2], L=[8, 1000], K=[8]),
      data=dict(cv=lambda rng, shape, t: np.full(shape, 2.5)))
def _(cv):
    at = np.broadcast_to(np.arange(8, dtype=np.int32), (cv.shape[0], 8))
    return dict(val=Number(np.full(at.shape, 2.5), 'f32'), at=at)


@case('23_topk', 'topk_merge', '', 'val: f32[M, K] out; idx: i32[M, K] out; cv: f32[M, L]; ci: i32[M, L]',
      sizes(M=[0, 1, 3], L=[8, 9, 33, 1000, 1024], K=[8]), data=dict(cv=any_number))
def _(cv, ci):
    val, at = best(cv, 8)
    return dict(val=val, idx=np.take_along_axis(ci, at, 1))


def counts(x, bins):
    return np.array([np.sum(x == b) for b in range(bins)], np.int32)


@case('20_histogram', 'histogram_parts', '', 'h: i32[P, 256] out; x: u8[N]',
      sizes(P=[1, 2, 5], N=[0, 1, 31, 33, 1023, 1024, 1025, 5000]),
      data=dict(x=lambda rng, shape, t: rng.choice([0, 1, 7, 200, 255], shape)))
def _(x, P):
    each = -(-(-(-x.size // 1024)) // P) * 1024
    return np.array([counts(x[p * each:(p + 1) * each], 256) for p in range(P)])


@case('20_histogram', 'histogram_sum', '', 'h: i32[256] out; p: i32[P, 256]', sizes(P=[0, 1, 2, 31, 132]))
def _(p):
    return np.sum(p, 0, dtype=np.int32)


@case('20_histogram', 'histogram_add', '', 'h: i32[256] inout; x: u8[N]', sizes(N=around(1024) + [5000]))
def _(h, x):
    return h + counts(x, 256)


@case('71_chance', 'histogram_loop', 'T: i8 u8 i32 u64 i64', 'h: i32[10] out; x: T[M, N]',
      sizes(M=[0, 1, 3, 4], N=[0, 1, 34, 35, 36, 100]), data=dict(x=any_int))
def _(x):
    return counts(x, 10)


@case('71_chance', 'histogram_rows', '', 'h: i32[M, 300] out; x: i16[M, N]', lambda edges: rows(edges, (0, 1, 2)),
      data=dict(x=lambda rng, shape, t: rng.integers(-20, 320, shape)))
def _(x):
    return np.array([counts(row, 300) for row in x]).reshape(-1, 300)


def random(seed, number):
    """The first word of Philox 4x32-10."""
    mask = np.uint64(0xFFFFFFFF)
    number = np.asarray(number, np.uint64)
    c = [number & mask, number >> np.uint64(32), np.zeros_like(number), np.zeros_like(number)]
    k = [seed & 0xFFFFFFFF, seed >> 32]
    for _ in range(10):
        a, b = np.uint64(0xD2511F53) * c[0], np.uint64(0xCD9E8D57) * c[2]
        c = [(b >> np.uint64(32)) ^ c[1] ^ np.uint64(k[0]), b & mask, (a >> np.uint64(32)) ^ c[3] ^ np.uint64(k[1]), a & mask]
        k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return c[0].astype(np.uint32)


@case('71_chance', 'bits', '', 'y: u32[N] out; z: u32[N] out; seed: u64', sizes(N=around(100) + [1000], seed=[0, 1, 2**63 + 12345]))
def _(N, seed):
    at = np.arange(N, dtype=np.uint64)
    return dict(y=random(seed, at), z=random(seed ^ 0xFFFF0000FFFF0000, at * np.uint64(0x100000001) + np.uint64(0xFFFFFFFF)))


def unit(bits, half):
    """24 bits as a float in [0, 1), or (0, 1) where half of the last one is added."""
    x = Number((bits >> np.uint32(8)).astype(np.float64), 'f32')
    return (x + 0.5 if half else x) * 5.9604644775390625e-8


def normal(M, N, seed):
    at = np.arange(M * N, dtype=np.uint64).reshape(M, N)
    u, v = unit(random(seed, 2 * at), True), unit(random(seed, 2 * at + np.uint64(1)), False)
    z = sqrt(log(u) * -2.0) * cos(v * 6.283185307179586)
    if z.v.size > 5000:
        assert abs(z.v.mean()) < 0.05 and abs(z.v.std() - 1) < 0.05 and abs((z.v**4).mean() - 3) < 0.3
    return z


for kernel in ('normal_rows', 'normal_columns'):
    case('71_chance', kernel, '', 'y: f32[M, N] out; seed: u64',
         sizes(M=[0, 1, 3, 31, 32], N=[0, 1, 3, 63, 64, 65], seed=[7]) + [dict(M=100, N=80, seed=2**40 + 1)])(normal)


for file, kernel in (('07_dropout', 'dropout'), ('71_chance', 'dropout_rows')):
    @case(file, kernel, 'T: f32 bf16', 'y: T[M, N] out; x: T[M, N]; p: f32; seed: u64',
          sizes(M=[0, 1, 3, 4, 5], N=[0, 1, 31, 33, 255, 256, 257, 1001], p=[0.0, 0.25, 1.0], seed=[42]))
    def _(T, x, p, seed):
        M, N = x.shape
        u = unit(random(seed, np.arange(M * N, dtype=np.uint64).reshape(M, N)), False)
        return cast(where(u.v >= p.v, cast(x, 'f32') / (1.0 - p), 0.0), T)


@case('71_chance', 'asserted', '', 'y: f32[M] out; x: f32[M, N]', sizes(M=[0, 1, 3, 4], N=[0, 1, 20, 21, 50]),
      data=dict(x=lambda rng, shape, t: rng.integers(1, 9, shape)))
def _(x):
    return Number(np.max(x.v, 1, initial=0), 'f32')
