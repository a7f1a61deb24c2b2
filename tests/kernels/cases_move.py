"""cases_move.py -- elements that move inside a tile: permute, cat, split, extract, flip, reshape"""
import numpy as np
from cases_reduce import blocks
from inputs import any_int, rows
from number import Number, cast, highest, lowest, total
from table import around, case, sizes


def held(edges):
    """M by N for rows that must be held at once: the standard extents, and most rungs of the ladder."""
    return [n for n in rows(edges, most=2000) if n['N'] <= 4096]


def raw(x):
    return x.v if isinstance(x, Number) else x


def like(x, v):
    """Moved elements are the same bits."""
    return Number(v, x.t) if isinstance(x, Number) else np.asarray(v, x.dtype)


def per_tile(x, shape, f, out=None):
    """f of each tile, whose elements outside of x are 0; its results side by side."""
    out = out or shape
    v = raw(x)
    count = [-(-n // s) for n, s in zip(v.shape, shape)]
    big = np.zeros([c * s for c, s in zip(count, shape)], v.dtype)
    big[tuple(slice(0, n) for n in v.shape)] = v
    result = np.zeros([c * s for c, s in zip(count, out)], v.dtype)
    for at in np.ndindex(*count):
        piece = big[tuple(slice(k * s, (k + 1) * s) for k, s in zip(at, shape))]
        result[tuple(slice(k * s, (k + 1) * s) for k, s in zip(at, out))] = f(piece)
    return result


def cut(v, x):
    """As much of v as x has."""
    return v[tuple(slice(0, n) for n in x.shape)]


@case('21_transpose', 'transpose2', 'T: f32 f16 i8', 'y: T[N, M] out; x: T[M, N]', sizes(M=around(32), N=around(32)))
def _(x):
    return like(x, raw(x).T)


@case('examples/07_transpose', 'transpose', 'T: f64 f32 f16', 'y: T[N, M] out; x: T[M, N]',
      sizes(M=[0, 1, 15, 16, 33, 64, 65], N=[1, 16, 17, 32, 64, 72]))
def _(x):
    return like(x, raw(x).T)


@case('60_moves', 'turn', 'T: i8 f16 f32 f64', 'y: T[N, M] out; x: T[M, N]',
      sizes(M=[0, 1, 23, 24, 25, 97], N=[0, 1, 7, 39, 40, 41, 80, 97]))
def _(x):
    return like(x, raw(x).T)


@case('60_moves', 'turn_odd', '', 'y: i32[N, M] out; z: i32[N, M] out; w: i32[N, M] out; x: i32[M, N]',
      sizes(M=[0, 1, 12, 13, 37, 38, 80], N=[0, 1, 11, 12, 95, 96, 97]))
def _(x):
    return dict(y=x.T, z=x.T, w=x.T)


@case('60_moves', 'orders', '',
      'abc: i16[A, B, C] out; acb: i16[A, C, B] out; bac: i16[B, A, C] out; bca: i16[B, C, A] out; '
      'cab: i16[C, A, B] out; cba: i16[C, B, A] out; x: i16[A, B, C]',
      sizes(A=[0, 1, 4, 5], B=[1, 4, 5, 6, 11], C=[1, 8, 15, 16, 17, 40]), data=dict(x=any_int))
def _(x):
    return dict(abc=x, acb=x.transpose(0, 2, 1), bac=x.transpose(1, 0, 2), bca=x.transpose(1, 2, 0),
                cab=x.transpose(2, 0, 1), cba=x.transpose(2, 1, 0))


def turned(x, c, s):
    h = x.shape[1] // 2
    a, b = x[:, :h], x[:, h:]
    p, q = a * c - b * s, b * c + a * s
    return Number(np.concatenate([p.v, q.v], 1), p.t, np.concatenate([p.e, q.e], 1))


@case('60_moves', 'rope', '', 'y: f32[M, D] out; x: f32[M, D]; c: f32[M, D / 2]; s: f32[M, D / 2]',
      sizes(M=[0, 1, 3, 4, 5, 33], D=[32, 48]))
def _(x, c, s):
    return turned(x, c, s)


@case('60_moves', 'rope_inplace', '', 'y: bf16[M, 64] inout; c: f32[M, 32]; s: f32[M, 32]', sizes(M=[0, 1, 2, 3, 9]))
def _(y, c, s):
    return cast(turned(cast(y, 'f32'), c, s), 'bf16')


@case('60_moves', 'hadamard', '', 'y: f64[M, 16] out; x: f64[M, 16]', sizes(M=[0, 1, 2, 3, 4, 31]))
def _(x):
    t, e = x.v, np.abs(x.v)
    for _ in range(4):
        a, b = t[:, :8], t[:, 8:]
        t = np.stack([a + b, a - b], 2).reshape(-1, 16)
        e = np.stack([e[:, :8] + e[:, 8:]] * 2, 2).reshape(-1, 16)
    return Number(t, 'f64', e * 2.0**-48)


@case('60_moves', 'pixel_shuffle', '', 'y: f16[2 * H, 2 * W] out; x: f16[4, H, W]',
      sizes(H=[0, 1, 5, 6, 7, 13], W=[1, 10, 19, 20, 21, 48]))
def _(x, H, W):
    return like(x, x.v.reshape(2, 2, H, W).transpose(2, 0, 3, 1).reshape(2 * H, 2 * W))


@case('60_moves', 'pieces', '',
      'y: i32[M, 6] out; z: i32[M, 7] out; w: i32[ceil(M, 4), 6] out; x: i32[M, 30]; k: i32',
      sizes(M=[0, 1, 3, 4, 5, 18], k=[-2**31, -5, -1, 0, 1, 2, 3, 4, 5, 2**31 - 1]))
def _(x, M, k):
    fifths = [x[:, 6 * n:6 * n + 6] for n in range(5)]
    y = sum((n + 1) * f for n, f in enumerate(fifths))
    wide = np.zeros((M, 7 * 8), x.dtype)
    wide[:, 7:37] = x
    z = wide[:, 7 * (k + 1):7 * (k + 1) + 7] if -1 <= k < 5 else np.zeros((M, 7), x.dtype)
    w = np.zeros((-(-M // 4), 6), x.dtype)
    for i in range(len(w)):
        if 0 <= k < 2:
            w[i] = x[4 * i:4 * i + 4][3 * k:3 * k + 3, :6].sum(0)
    return dict(y=y.astype(x.dtype), z=z, w=w)


@case('60_moves', 'roll', '', 'y: f32[M, N] out; z: f32[M, N] out; w: f32[M, N] out; x: f32[M, N]',
      sizes(M=[0, 1, 5, 6, 7], N=around(24)))
def _(x):
    ways = dict(y=lambda t: np.roll(t, 1, 1), z=lambda t: t[::-1], w=lambda t: t[::-1, ::-1])
    return {k: like(x, cut(per_tile(x, (6, 24), f), x)) for k, f in ways.items()}


@case('60_moves', 'above_below', '', 'y: f32[M, N] out; x: f32[M, N]', sizes(M=[0, 1, 6, 7, 8, 21], N=around(33)))
def _(x):
    pad = Number(np.pad(x.v, ((1, 1), (0, 0))), 'f32')
    return pad[:-2] + pad[2:] - x * 2.0


@case('60_moves', 'symmetric', '', 'y: f32[M, N] out; z: f32[M, N] out; x: f32[M, N]',
      sizes(M=[0, 1, 19, 20, 21], N=[1, 19, 20, 21, 40]))
def _(x):
    turn = Number(cut(per_tile(x, (20, 20), lambda t: t.T), x), 'f32')
    return dict(y=(x + turn) * 0.5, z=(x - turn) * 0.5)


@case('60_moves', 'dance', '', 'y: i32[M, N] out; z: i32[M, N] out; x: i32[M, N]; n: i64',
      sizes(M=[1, 4, 5, 6], N=[1, 17, 18, 19], n=[0, 1, 2, 3, 6]))
def _(x, n):
    def both(t):
        a, b = t, t.T * 3
        for k in range(n):
            a, b = b.T[::-1] + 1, a.T[::-1, ::-1] - 2
            if k == 2:
                a = a[:, ::-1]
        return a, b.T
    return dict(y=cut(per_tile(x, (5, 18), lambda t: both(t)[0]), x),
                z=cut(per_tile(x, (5, 18), lambda t: both(t)[1]), x))


@case('60_moves', 'reduced', '', 's: f32[ceil(M, 12), ceil(N, 20), 5] out; x: f32[M, N]',
      sizes(M=[1, 11, 12, 13], N=[1, 9, 10, 11, 19, 20, 21]))
def _(x):
    from number import exp
    M, N = x.shape
    shape = (-(-M // 12), -(-N // 20))
    v, e = np.zeros(shape + (5,)), np.zeros(shape + (5,))
    for i, j in np.ndindex(*shape):
        t = x[12 * i:12 * i + 12, 20 * j:20 * j + 20]
        right = t[:, 10:]
        parts = [total(t, (0, 1)), highest(t, (0, 1)), total(exp(t), (0, 1)),
                 lowest(right, (0, 1)) if right.shape[1] else Number(np.inf, 'f32'), total(t + t, (0, 1))]
        for k, p in enumerate(parts):
            v[i, j, k], e[i, j, k] = p.v, p.e
    return Number(v, 'f32', e)


@case('60_moves', 'crossed_sums', '', 'y: f32[M, N] out; x: f32[M, N]', sizes(M=[1, 23, 24, 25], N=[1, 23, 24, 25, 48]))
def _(x):
    M, N = x.shape
    v, e = np.zeros((M, N)), np.zeros((M, N))
    for i in range(0, M, 24):
        for j in range(0, N, 24):
            t = x[i:i + 24, j:j + 24]
            big = Number(np.pad(t.v, ((0, 24 - t.shape[0]), (0, 24 - t.shape[1]))), 'f32')
            r, c = total(big, 1), total(big, 0)
            y = r.reshape(24, 1) * r.reshape(1, 24) + c.reshape(24, 1) + c
            v[i:i + 24, j:j + 24] = y.v[:t.shape[0], :t.shape[1]]
            e[i:i + 24, j:j + 24] = y.e[:t.shape[0], :t.shape[1]]
    return Number(v, 'f32', e)


@case('60_moves', 'in_branches', '', 'y: i64[M, N] out; x: i64[M, N]; which: i32[ceil(M, 9)]',
      sizes(M=[0, 1, 8, 9, 10, 40], N=[1, 9, 10]),
      data=dict(which=lambda rng, shape, t: rng.integers(-2, 6, shape)))
def _(x, which):
    def walk(t, w):
        for k in range(4):
            if k == w:
                break
            t = t.T + 1 if (k + w) % 2 == 0 else t.T[:, ::-1] - 1
        return t
    out = np.zeros_like(x)
    for i, w in enumerate(which):
        rows = x[9 * i:9 * i + 9]
        out[9 * i:9 * i + 9] = cut(per_tile(rows, (9, 9), lambda t: walk(t, w)), rows)
    return out


@case('60_moves', 'turn_kinds', '',
      'b: bool[N, M] out; h: bf16[N, M] out; e: f8e4m3[N, M] out; u: u64[N, M] out; xb: bool[M, N]; xh: bf16[M, N]; '
      'xe: f8e4m3[M, N]; xu: u64[M, N]', sizes(M=[0, 1, 15, 16, 17], N=[1, 15, 16, 17, 48]))
def _(xb, xh, xe, xu):
    turned = cut(per_tile(Number(raw(xh).T, 'bf16'), (16, 16), lambda t: t[::-1]), raw(xh).T)
    return dict(b=xb.T, h=like(xh, turned), e=like(xe, raw(xe).T), u=xu.T)


@case('60_moves', 'swap_halves', '', 'y: f32[M, N] inout', sizes(M=[0, 1, 4, 5], N=[0, 1, 32, 33, 63, 64, 65, 127, 128, 200]))
def _(y):
    return like(y, cut(per_tile(y, (4, 64), lambda t: np.concatenate([2 * t[:, 32:], t[:, :32]], 1)), y))


# ---- beside and along whole axes ----------------------------------------------------------------


@case('61_moves_whole', 'turn_whole', '', 'y: f32[N, M] out; x: f32[M, N]', lambda edges: rows(edges, most=2000))
def _(x):
    return like(x, x.v.T)


@case('61_moves_whole', 'reversed', 'T: f32 i8', 'y: T[M, N] out; x: T[M, N]', held)
def _(x):
    return like(x, raw(x)[:, ::-1])


@case('61_moves_whole', 'rows_move', '', 'y: f32[M, N] out; z: f32[M, N] out; x: f32[M, N]',
      held)
def _(x):
    M, N = x.shape
    turned = per_tile(x, (4, max(N, 1)), lambda t: np.concatenate([t[2:], t[1::-1]]))
    flipped = Number(cut(per_tile(x, (4, max(N, 1)), lambda t: t[::-1]), x), 'f32')
    return dict(y=like(x, cut(turned, x)), z=x - highest(flipped, 1, keepdims=True))


@case('61_moves_whole', 'planes_turn', '', 'y: f32[A, A, N] out; x: f32[A, A, N]', sizes(A=[4], N=around(64)))
def _(x):
    return x + Number(x.v.transpose(1, 0, 2), 'f32')


@case('61_moves_whole', 'both_ways', '', 'y: f32[M, N] out; m: f32[M] out; x: f32[M, N]',
      held)
def _(x):
    u = x + Number(x.v[:, ::-1], 'f32')
    square = u * u
    return dict(y=u, m=total(square, 1) / float(x.shape[1]))


@case('60_moves', 'planes_to_rows', '', 'y: f32[4 * A, 64] out; x: f32[A, 4, 64]', sizes(A=[0, 1, 7, 8, 9, 33]))
def _(x):
    return like(x, 2 * x.v.reshape(-1, 64))


@case('60_moves', 'rows_to_planes', '', 'y: i16[A, 2, 2, 8, 64] out; x: i16[M, 64]',
      sizes(A=[0, 1, 3], M=[0, 1, 31, 32, 33, 96]))
def _(x, A, M):
    t = np.full((32 * A, 64), 3, np.int16)
    t[:min(M, 32 * A)] = x[:32 * A]
    return (t * 2).reshape(A, 2, 2, 8, 64)


for kernel, A, B in (('below', 96, 127), ('full', 4096, 3), ('above', 96, 129)):
    @case('89_shared', kernel, '', 'y: f32[N, M] out; x: f32[M, N]', [dict(M=A + 5, N=B + 2)], table=True)
    def _(x):
        return Number(x.v.T, 'f32')
