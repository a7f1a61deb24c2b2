"""cases_scan.py -- scans and reductions by functions of scalars"""
import math
import numpy as np
from inputs import LONG, rows, any_float, any_int
from number import EPS, TINY, Number, argmax, exp, highest, log, total, _rounded
from table import around, case, sizes


def running(x, axis, reverse=False):
    """cumsum: of 16-bit types in f32, each rounded once; the bound of a sum of all that went in."""
    if not isinstance(x, Number):
        v = np.flip(x, axis) if reverse else x
        s = np.cumsum(v, axis=axis, dtype=x.dtype)
        return np.flip(s, axis) if reverse else s
    flip = (lambda v: np.flip(v, axis)) if reverse else (lambda v: v)
    wide = 'f32' if x.t in ('f16', 'bf16') else x.t
    add = lambda v: flip(np.cumsum(flip(v), axis=axis))
    count = add(np.ones(x.shape))
    e = add(x.e) + np.where(count > 1, (8 + 2 * np.sqrt(count)) * EPS[wide] * add(np.abs(x.v)), 0)
    s = Number(add(x.v), x.t, e)
    return _rounded(s.v, s.e, x.t) if x.t != wide else s


def small_ints(rng, shape, t):
    return rng.integers(-3, 4, shape)


def flags(rng, shape, t):
    return rng.integers(0, 12, shape) == 0


def sparse(rng, shape, t):
    return np.where(rng.integers(0, 30, shape) == 0, rng.integers(1, 100, shape), 0)


@case('19_scan', 'cumsum_all', 'T: f32 i32', 'y: T[N] out; x: T[N]', lambda edges: [dict(N=r['N']) for r in rows(edges, few=[1])])
def _(x):
    return running(x, 0)


@case('19_scan', 'recurrence', '', 'h: f32[C, N] out; a: f32[C, N]; b: f32[C, N]',
      lambda edges: [dict(C=r['M'], N=r['N']) for r in rows(edges, most=5000)],
      data=dict(a=lambda rng, shape, t: rng.uniform(-1, 1, shape)))
def _(a, b):
    h, scale = np.zeros(a.shape), np.zeros(a.shape)
    last, size = np.zeros(len(a.v)), np.zeros(len(a.v))
    for k in range(a.shape[1]):
        last = a.v[:, k] * last + b.v[:, k]
        size = np.abs(a.v[:, k]) * size + np.abs(b.v[:, k])
        h[:, k], scale[:, k] = last, size
    return Number(h, 'f32', np.where(np.arange(a.shape[1]) > 0, 1, 0) * 32 * EPS['f32'] * scale + TINY['f32'])


@case('19_scan', 'chunk_sums', '', 's: f32[ceil(N, 1024)] out; x: f32[N]', sizes(N=around(1024) + [5000]))
def _(x):
    n = -(-x.shape[0] // 1024)
    each = [total(x[1024 * i:1024 * i + 1024]) for i in range(n)]
    return Number([s.v for s in each], 'f32', [s.e for s in each])


@case('51_scans', 'row_cumsum', 'T: f32 f64 f16 bf16', 'y: T[M, N] out; z: T[M, N] out; x: T[M, N]', rows)
def _(x):
    return dict(y=running(x, 1), z=running(x, 1, True))


def wrapping_product(x, reverse=False):
    v = x[:, ::-1] if reverse else x
    with np.errstate(over='ignore'):
        p = np.cumprod(v, axis=1, dtype=x.dtype)
    return p[:, ::-1] if reverse else p


@case('51_scans', 'row_cumprod', 'T: i32 i64 u32', 'y: T[M, N] out; z: T[M, N] out; x: T[M, N]',
      lambda edges: rows(edges, most=9000), data=dict(x=any_int))
def _(x):
    odd = x
    return dict(y=wrapping_product(odd, True), z=running(x, 1) + wrapping_product(odd))


@case('51_scans', 'row_narrow_scans', 'T: i8 i16', 'y: i32[M, N] out; hi: T[M, N] out; n: i32[M, N] out; x: T[M, N]',
      lambda edges: rows(edges, most=9000), data=dict(x=any_int))
def _(x):
    return dict(y=np.cumsum(x, 1, dtype=np.int32), hi=np.maximum.accumulate(x, axis=1), n=np.cumsum(x > 3, 1, dtype=np.int32))


@case('51_scans', 'cummax', '', 'y: f32[M, N] out; z: f32[M, N] out; x: f32[M, N]',
      sizes(M=[0, 1, 2, 3, 4, 7], N=around(200) + [401]), data=dict(x=any_float))
def _(x):
    y, z = np.empty(x.shape), np.empty(x.shape)
    for j in range(0, x.shape[1], 200):
        y[:, j:j + 200] = np.maximum.accumulate(x.v[:, j:j + 200], axis=1)
    for i in range(0, x.shape[0], 3):
        z[i:i + 3] = np.maximum.accumulate(x.v[i:i + 3][::-1], axis=0)[::-1]
    return dict(y=Number(y, 'f32'), z=Number(z, 'f32'))


@case('51_scans', 'exclusive', '', 'y: i32[M, N] out; x: i32[M, N]', lambda edges: rows(edges, most=9000), data=dict(x=any_int))
def _(x):
    return running(x, 1) - x


def by_blocks(x, axis, step, f):
    """f on each block of `step` along the axis."""
    cut = [slice(None)] * len(x.shape)
    out = Number(np.zeros(x.shape), x.t) if isinstance(x, Number) else np.zeros_like(x)
    for k in range(0, x.shape[axis], step):
        cut[axis] = slice(k, k + step)
        piece = f(x[tuple(cut)])
        if isinstance(x, Number):
            v, e = out.v.copy(), out.e.copy()
            v[tuple(cut)], e[tuple(cut)] = piece.v, piece.e
            out = Number(v, x.t, e)
        else:
            out[tuple(cut)] = piece
    return out


@case('51_scans', 'columns', '', 'y: f32[M, N] out; z: i64[M, N] out; x: f32[M, N]; w: i64[M, N]',
      sizes(M=around(64) + [130], N=[0, 1, 31, 32, 33, 65]), data=dict(w=any_int))
def _(x, w):
    return dict(y=by_blocks(x, 0, 64, lambda t: running(t, 0)), z=by_blocks(w, 0, 64, lambda t: running(t, 0, True)))


@case('51_scans', 'whole_columns', '', 'y: f32[M, N] out; x: f32[M, N]', sizes(M=around() + LONG + [3000], N=[0, 1, 7, 8, 9, 33]))
def _(x):
    return running(x, 0, True)


@case('51_scans', 'beside', '', 'y: f32[M, N] out; x: f32[M, N]', lambda edges: rows(edges, few=(0, 1, 4, 5, 6), most=40000))
def _(x):
    return by_blocks(x, 0, 5, lambda t: running(t, 0)) * 2.0 + running(x, 1)


@case('51_scans', 'weighted', '', 'y: f32[M, N] out; s: f32[M] out; x: f32[M, N]; w: f32[N]', lambda edges: rows(edges, most=40000))
def _(x, w):
    t = x * running(w, 0).reshape(1, -1)
    return dict(y=t, s=total(t, 1))


@case('51_scans', 'ranks', '', 'y: f32[K, M, N] out; z: f32[K, M, N] out; x: f32[K, M, N]',
      sizes(K=[1, 2, 3], M=[0, 1, 7, 8, 15], N=[1, 4, 5, 6, 11]))
def _(x):
    y = by_blocks(by_blocks(x, 1, 7, lambda t: running(t, 1)), 2, 5, lambda t: running(t, 2))
    return dict(y=y, z=x + by_blocks(x, 0, 2, lambda t: running(t, 0, True)))


def mod32(m):
    return [[(v + 2**31) % 2**32 - 2**31 for v in row] for row in m]


def product2(x, y):
    return mod32([[x[0][0] * y[0][0] + x[0][1] * y[1][0], x[0][0] * y[0][1] + x[0][1] * y[1][1]],
                  [x[1][0] * y[0][0] + x[1][1] * y[1][0], x[1][0] * y[0][1] + x[1][1] * y[1][1]]])


@case('51_scans', 'matrices', '', 'p: i32[M, N] out; q: i32[M, N] out; r: i32[M] out; a: i32[M, N]; b: i32[M, N]; c: i32[M, N]; d: i32[M, N]',
      lambda edges: rows(edges, most=5000), data={k: any_int for k in 'abcd'})
def _(a, b, c, d):
    M, N = a.shape
    p, q, r = np.zeros((M, N), np.int32), np.zeros((M, N), np.int32), np.zeros(M, np.int32)
    for i in range(M):
        m = [[[int(a[i, k]), int(b[i, k])], [int(c[i, k]), int(d[i, k])]] for k in range(N)]
        forth = back = [[1, 0], [0, 1]]
        for k in range(N):
            forth = product2(forth, m[k])
            back = product2(back, m[N - 1 - k])
            p[i, k], q[i, N - 1 - k] = forth[0][1], back[1][0]
        r[i] = forth[1][1]
    return dict(p=p, q=q, r=r)


@case('51_scans', 'segmented', '', 'y: f32[M, N] out; x: f32[M, N]; flag: bool[M, N]', lambda edges: rows(edges, most=9000),
      data=dict(flag=flags))
def _(x, flag):
    y, e = np.zeros(x.shape), np.zeros(x.shape)
    for i in range(x.shape[0]):
        cuts = [0] + [k for k in range(1, x.shape[1]) if flag[i, k]] + [x.shape[1]]
        for lo, hi in zip(cuts, cuts[1:]):
            s = running(x[i, lo:hi], 0)
            y[i, lo:hi], e[i, lo:hi] = s.v, s.e
    return Number(y, 'f32', e)


@case('51_scans', 'positions', '', 'at: i32[N] out; n: i32[1] out; x: f32[N]', sizes(N=around(256, 1024) + [5000, 40000]))
def _(x):
    kept = x.v >= 0
    return dict(at=np.where(kept, np.cumsum(kept) - 1, -1).astype(np.int32), n=np.array([kept.sum()], np.int32))


@case('51_scans', 'chunked', '', 'y: i32[M, N] out; x: i32[M, N]', sizes(M=[1, 3], N=around(512, 1024) + [2000]), data=dict(x=any_int))
def _(x):
    return running(x, 1)


@case('51_scans', 'windows', '', 'y: f32[N] out; z: f32[N] out; x: f32[N]; lo: i64; hi: i64',
      sizes(N=around(96) + [200], lo=[-3, 0, 5, 95], hi=[0, 4, 90, 200]))
def _(x, lo, hi):
    y, z, ye, ze = (np.zeros(x.shape) for _ in range(4))
    for k in range(0, x.shape[0], 96):
        n = min(96, x.shape[0] - k)
        at = np.arange(n)
        piece = Number(np.where((at >= lo) & (at < hi), x.v[k:k + n], 0), 'f32')
        a, b = running(piece, 0), running(piece, 0, True)
        y[k:k + n], ye[k:k + n], z[k:k + n], ze[k:k + n] = a.v, a.e, b.v, b.e
    return dict(y=Number(y, 'f32', ye), z=Number(z, 'f32', ze))


@case('52_folds', 'argmax_pairs', '', 'at: i32[M] out; x: f32[M, N]', sizes(M=[0, 1, 3], N=[n for n in around(256, 512) if n <= 512]))
def _(x):
    return argmax(x.v, 1)


@case('52_folds', 'log_sum_exp', '', 'y: f32[M] out; x: f32[M, N]', lambda edges: [r for r in rows(edges) if r['N'] > 0])
def _(x):
    top = highest(x, 1, keepdims=True)
    s = total(exp(x - top), 1)
    s = Number(s.v, 'f32', s.e + 8 * EPS['f32'] * s.v * (1 + math.log2(max(x.shape[1], 1))) )
    return top.reshape(-1) + log(s)


@case('52_folds', 'welford', '', 'mean: f32[M] out; variance: f32[M] out; x: f32[M, N]',
      lambda edges: [r for r in rows(edges, most=9000) if r['N'] > 0])
def _(x):
    m, v = np.mean(x.v, 1), np.var(x.v, 1)
    size = np.max(np.abs(x.v), 1, initial=0)
    return dict(mean=Number(m, 'f32', 64 * EPS['f32'] * size), variance=Number(v, 'f32', 128 * EPS['f32'] * size * size))


def first_in(v):
    """The first that is not zero of each row; 0 of none."""
    if v.shape[1] == 0:
        return np.zeros(v.shape[0], v.dtype)
    return v[np.arange(len(v)), np.argmax(v != 0, axis=1)]


@case('52_folds', 'first_nonzero', 'T: i32 i8 f16 u64',
      'r: T[M, ceil(N, 47)] out; c: T[ceil(M, 33), N] out; a: T[ceil(M, 33), ceil(N, 47)] out; x: T[M, N]',
      sizes(M=[1, 32, 33, 34, 66, 97], N=[1, 46, 47, 48, 97]), data=dict(x=sparse))
def _(x):
    v = x.v if isinstance(x, Number) else x
    M, N = v.shape
    rs, cs = range(0, M, 33), range(0, N, 47)
    r = np.stack([first_in(v[:, c:c + 47]) for c in cs], 1)
    c = np.stack([first_in(v[k:k + 33].T) for k in rs])
    a = np.stack([[first_in(v[k:k + 33, j:j + 47].reshape(1, -1))[0] for j in cs] for k in rs])
    give = (lambda v: Number(v, x.t)) if isinstance(x, Number) else (lambda v: v)
    return dict(r=give(r), c=give(c), a=give(a))


@case('52_folds', 'above', '', 'n: i32[K, M, N] out; v: f32[K, M, N] out; x: f32[2 * K, 3 * M, 40 * N]; s: f32 = 0.5',
      sizes(K=[1, 2], M=[1, 3], N=[1, 2]))
def _(x, s):
    K, M, N = x.shape[0] // 2, x.shape[1] // 3, x.shape[2] // 40
    n, v = np.zeros((K, M, N), np.int32), np.zeros((K, M, N))
    for k, i, j in np.ndindex(K, M, N):
        t = x.v[2 * k:2 * k + 2, 3 * i:3 * i + 3, 40 * j:40 * j + 40].reshape(-1)
        over = t[t > np.float32(0.5)]
        n[k, i, j], v[k, i, j] = len(over), over[-1] if len(over) else 0
    return dict(n=n, v=Number(v, 'f32'))


@case('52_folds', 'bits', '', 'y: u8[N] out; x: u8[M, N]', sizes(M=around() + LONG + [3000], N=[0, 1, 39, 40, 41]), data=dict(x=any_int))
def _(x):
    return np.bitwise_xor.reduce(x, axis=0)


@case('52_folds', 'one_sign', '', 'y: bool[M] out; x: i32[M, N]', lambda edges: rows(edges, most=5000),
      data=dict(x=lambda rng, shape, t: np.where(rng.integers(0, 50, shape) == 0, -1, 1) * rng.integers(0, 9, shape)))
def _(x):
    return np.all(x >= 0, 1) | np.all(x <= 0, 1)


@case('52_folds', 'divisors', '', 'y: i64[M] out; x: i64[M, N]', lambda edges: rows(edges, most=2000),
      data=dict(x=lambda rng, shape, t: 6 * rng.integers(-1000, 1000, shape)))
def _(x):
    return np.gcd.reduce(x, axis=1, initial=0) if x.shape[1] else np.zeros(x.shape[0], np.int64)


@case('51_scans', 'large_state', '', 'y: f64[M, N] out; z: i64[M, N] out; x: f64[M, N]; w: i64[M, N]',
      sizes(M=[0, 1, 15, 16, 17, 100], N=[1, 127, 128, 129]), data=dict(w=any_int))
def _(x, w):
    spread = lambda t: Number(np.maximum.accumulate(t.v, axis=0), 'f64') - Number(np.minimum.accumulate(t.v, axis=0), 'f64')
    return dict(y=spread(x), z=running(w, 0) - np.bitwise_xor.accumulate(w, axis=0))


@case('51_scans', 'moved', '', 'y: i32[M, N] out; x: i32[M, N]', sizes(M=[1, 3, 4, 5], N=around(64)), data=dict(x=any_int))
def _(x):
    return by_blocks(x, 0, 4, lambda t: running(t, 0))


@case('51_scans', 'compact', '', 'y: i32[N] out; x: i32[N]', sizes(N=around(256) + [1000]), data=dict(x=any_int))
def _(x):
    y = np.zeros_like(x)
    for k in range(0, len(x), 256):
        kept = x[k:k + 256][x[k:k + 256] > 0]
        y[k:k + len(kept)] = kept
    return y


@case('51_scans', 'gathered', '', 'y: f32[N] out; x: f32[K]; at: i32[N]', sizes(N=around(300), K=[1, 100]),
      data=dict(at=lambda rng, shape, t: rng.integers(-1, 100, shape)))
def _(x, at):
    inside = (at >= 0) & (at < x.shape[0])
    return by_blocks(Number(np.where(inside, x.v[np.where(inside, at, 0)], 0), 'f32'), 0, 300, lambda t: running(t, 0))


@case('51_scans', 'with_mma', '', 'y: i32[M, N] out; a: i8[M, K]; b: i8[K, N]', sizes(M=[1, 31, 33], N=[1, 32, 65], K=[1, 40]),
      data=dict(a=small_ints, b=small_ints))
def _(a, b):
    c = a.astype(np.int32) @ b.astype(np.int32)
    by_rows = lambda v: by_blocks(v, 0, 32, lambda t: running(t, 0))
    return by_rows(c) + by_blocks(c, 1, 32, lambda t: running(t, 1, True))


@case('51_scans', 'scan_rounds', '', 'y: i32[M, N] inout; x: i32[K, N]', sizes(M=[1, 2], N=[1, 300, 3000], K=[0, 1, 3]),
      data=dict(y=any_int, x=any_int))
def _(y, x):
    for row in x:
        y = np.bitwise_xor.accumulate(y + row, axis=1)
    return y


@case('19_scan', 'chunk_scan', '', 'y: f32[N] out; x: f32[N]; carry: f32[ceil(N, 1024)]', sizes(N=around(1024) + [5000]))
def _(x, carry):
    before = np.concatenate([[0.0], carry.v])[:-1]
    each = Number(np.repeat(before, 1024)[:x.shape[0]], 'f32')
    return by_blocks(x, 0, 1024, lambda t: running(t, 0)) + each
