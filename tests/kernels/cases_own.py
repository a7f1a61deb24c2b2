"""cases_own.py -- ownership, optional arguments, contracts, scalars, names"""
import math
import struct
import numpy as np
from cases_reduce import blocks
from inputs import rows, positive, any_int
from number import Number, cast, encode, decode, highest, smaller, total
from table import around, case, sizes


@case('41_inplace', 'affine_inplace', 'T: f32 f16 i32', 'y: T[M, N] inout; a: i32; b: i32',
      sizes(M=[0, 1, 3], N=around(64), a=[3], b=[-2]))
def _(y, a, b):
    return y * (float(a) if isinstance(y, Number) else a) + (float(b) if isinstance(y, Number) else b)


@case('41_inplace', 'descending', '', 'y: i32[M, 64] inout', sizes(M=[0, 1, 3]))
def _(y):
    y = y.copy()
    for at in range(52, -4, -4):
        y[:, at:at + 4] = y[:, at + 5:at + 9] + 1
    return y


@case('41_inplace', 'normalise', '', 'y: f32[M, N] inout', sizes(M=[0, 1, 2, 3], N=around(32)), data=dict(y=positive))
def _(y):
    s = total(y, 1, keepdims=True)
    return y / Number(s.v, 'f32', s.e + np.abs(s.v) * 4e-7)


@case('41_inplace', 'slabs', '', 'y: i32[N] inout; G: i64', sizes(N=[0, 1, 7, 8, 9, 97], G=[1, 2, 3, 100]))
def _(y, N, G):
    return (y + np.arange(N) // max(-(-N // G), 1)) * 2


@case('42_optional', 'blend', 'T: f32 bf16',
      'y: T[M, N] out opt; z: f32[M, N] out opt; top: f32[ceil(M, 2), ceil(N, 64)] out; x: T[M, N]; w: T[N] opt; '
      'r: f32[M] opt', sizes(M=[0, 1, 2, 3, 5], N=around(64)))
def _(x, w, r):
    t = cast(x, 'f32')
    t = t * cast(w, 'f32') if w is not None else t
    t = t + r.reshape(len(r.v), 1) if r is not None else t
    return dict(y=t, z=t, top=blocks(t, highest, [0, 1], [2, 64]))


@case('42_optional', 'which', '', 'y: i32[N] out; a: i32[N] opt; b: i32[N] opt', sizes(N=around(32)))
def _(a, b, N):
    return a * b if a is not None and b is not None else a if a is not None else b if b is not None else np.full(N, -1)


@case('43_contracts', 'scaled', '', 'y: f32[M, N] out; x: f32[M, N]; k: i32 = 3', sizes(M=[0, 1, 3], N=around(64, 256)))
def _(x, k):
    return x * float(k)


@case('43_contracts', 'either', '', 'y: i32[M, N] out; x: i32[M, N]; n: i32',
      sizes(M=[0, 3, 8, 9, 16], N=[0, 4, 32, 36], n=[1, 3]) + sizes(M=[1], N=[1, 31, 33], n=[2, 5]))
def _(x, n):
    return x * n


@case('43_contracts', 'listed', 'T: f32 f16', 'y: T[M, D] out; x: T[M, D]',
      sizes(M=[0, 1, 3, 4, 5], D=[16, 48], CAUSAL=[False, True], G=[1, 4]))
def _(x, CAUSAL, G):
    s = cast(x, 'f32') * float(G)
    return -s if CAUSAL else s


@case('43_contracts', 'heads', '', 'y: f32[M, D * H] out; x: f32[M, D * H]', sizes(M=[0, 1, 3], D=[4, 8], H=[1, 3]))
def _(x, D, H):
    return x * float(D + H)


@case('43_contracts', 'halves', '', 'y: f32[M, N / 2] out; x: f32[M, N]', sizes(M=[0, 1, 3], N=[0, 2, 62, 64, 66, 194]))
def _(x, N):
    return x[:, :N // 2]


@case('43_contracts', 'doubled', '', 'y: f32[M, 2 * N] out; x: f32[M, N]', sizes(M=[0, 1, 3], N=[0, 1, 31, 32, 33, 97]))
def _(x):
    return Number(np.pad(x.v, ((0, 0), (0, x.shape[1])), constant_values=5), 'f32')


@case('43_contracts', 'nested_choice', '', 'y: f32[M, N] out; x: f32[M, N]; k: i32; on: bool',
      [dict(M=m, N=n, k=k, on=on) for m, n, k, on in [(0, 3, -1, False), (1, 4, 3, False), (3, 8, 9, False), (2, 33, -2, True),
                                                      (1, 97, 5, True), (3, 31, 5, True)]])
def _(x, k):
    return x * float(k)


@case('44_strided', 'any_strides', 'T: f32 f16', 'y: T[M, N] out strided; x: T[M, N] strided',
      sizes(M=[0, 1, 7, 8, 9], N=around(32)))
def _(x):
    return x + x


@case('44_strided', 'strided_rows', '', 's: f32[M] out; x: f32[M, N] strided', rows)
def _(x):
    return total(x, 1)


# ---- scalars, constants, names -----------------------------------------------------------------


@case('46_scalars', 'lookups', '', 'y: f32[N] out; x: f32[R, C]; r: i64; c: i32; a: f32 = 0.5; u: u8 = 200; flag: bool',
      sizes(N=[0, 1, 17], R=[0, 3], C=[4], r=[0, 2, 3, -1], c=[0, 3, 4], flag=[False, True]))
def _(x, N, R, C, r, c, a, u, flag):
    v = x[r, c] if 0 <= r < R and 0 <= c < C else Number(0.0, 'f32')
    v = v + (a if flag else -a)
    return Number(np.full(N, (v + float(u + R)).v), 'f32')


@case('46_scalars', 'segments', '', 's: f32[V] out; start: i32[V + 1]; x: f32[N]', sizes(V=[0, 1, 5, 33], N=[0, 1, 97]),
      data=dict(start=lambda rng, shape, t: np.sort(rng.integers(0, 100, shape))))
def _(start, x, V, N):
    out = []
    for v in range(V):
        acc = Number(0.0, 'f32')
        for p in range(start[v], start[v + 1]):
            acc = acc + (x[p] if p < N else 0.0)
        out.append(acc.v)
    return Number(np.array(out), 'f32')


@case('46_scalars', 'constants', '', 'y: f32[8] out; d: f64[4] out; h: f16[3] out', [dict()], same_bits=True)
def _():
    f = struct.unpack('<8f', struct.pack('<8f', 1e-40, 3.4028234663852886e38, -0.0, 0.1, 16777217.0, math.inf, -math.inf,
                                         -1.17549421e-38))
    return dict(y=Number(np.array(f), 'f32'), d=Number(np.array([0.1, 1e-320, 1.7976931348623157e308, 16777217.0]), 'f64'),
                h=Number(decode('f16', encode('f16', np.array([0.1, 65504.0, 6e-8]))), 'f16'))


@case('47_names', 'double', '', 'class: f32[asm, template] out; new: f32[asm, template]; row: f32[template]; '
      'stream: f32 = 1.5', sizes(asm=[0, 1, 3], template=around(16)))
def _(**named):
    x, r = named['new'], named['row']
    return smaller(x, r * named['stream'] + Number(np.zeros(x.shape), 'f32')) + 3.0


@case('47_names', 'family', '', 'family_tile: f32[family_strided, family_tile_vectors] out; '
      'family_tile_unaligned: f32[family_strided, family_tile_vectors]; config: f32 = 1.5',
      sizes(family_strided=[1, 5], family_tile_vectors=[64, 65]))
def _(family_tile_unaligned, config):
    return family_tile_unaligned * config


@case('47_names', 'log', 'T: f32', 'y1: T[vec] out; x: T[vec]; width: f32 = 2.0', sizes(vec=[0, 1, 7, 8, 9, 33]))
def _(x, width):
    p = x * width
    tops = [p.v[k:k + 8].max() for k in range(0, len(p.v), 8)]
    return p + Number(np.repeat(tops, 8)[:len(p.v)] if tops else p.v, 'f32')


@case('48_extents', 'reuse', '', 'p: f64[N] out; q: f32[N] out; r: i64[N] out; a: f32[N]; b: f32[N]; u: u8[N]',
      sizes(N=around(64)), data=dict(u=any_int))
def _(a, b, u):
    return dict(p=a * b, q=a * b - a, r=u.astype(np.int64))


@case('48_extents', 'masked', '', 'y: i32[M, N] inout; x: i32[M, N]', sizes(M=[0, 1, 2, 3], N=around(32)))
def _(y, x):
    return np.where(np.fmod(x, 3) == 0, x, y)


@case('48_extents', 'inside', 'T: f32 f16', 'd: T[M, N] out; s: T[M, N + 3] inout; x: T[M, N + 1]',
      lambda edges: sizes(M=[0, 1, 3], N=[0, 1, 2, 31, 64]) + sizes(M=[2], N=[e + d for e in edges[::2] for d in (0, 1)]))
def _(s, x, N):
    t = x[:, 1:] - x[:, :N]
    v = s.v.copy()
    v[:, :3] = 0
    v[:, 2:N + 2] = t.v
    v[:, 1] = v[:, 2]
    return dict(d=t, s=Number(v, s.t))


@case('48_extents', 'three', '', 'y: f32[M, 3] out; x: f32[M, N]', sizes(M=[0, 1, 3], N=around(96) + [1000]))
def _(x):
    s, q = total(x, 1), total(x * x, 1)
    slack = lambda n: Number(n.v, 'f32', n.e + np.abs(n.v) * 1e-6)
    stack = lambda get: np.stack([get(slack(s)), get(highest(x, 1)), get(slack(q))], 1)
    return Number(stack(lambda n: n.v), 'f32', stack(lambda n: n.e))


# ---- far apart: offsets beyond 31 and 32 bits -----------------------------------------------------


@case('86_large', 'far', 'T: i8 f32', 'y: T[M, N] out; x: T[M, N]', sizes(M=[5], N=[130]), table='far')
def _(x):
    v = x.v if isinstance(x, Number) else x
    rows = [v[k] + v[4 - k // 2, 1] for k in range(5)]
    return Number(np.array(rows), 'f32', 1e-6) if isinstance(x, Number) else np.array(rows)


@case('86_large', 'far_rows', 'T: i8 f32', 's: T[M] out; y: T[M, N] out; x: T[M, N]', sizes(M=[5], N=[130]), table='far')
def _(x):
    v = x.v if isinstance(x, Number) else x
    wrap = (lambda r: Number(r, 'f32', 1e-6)) if isinstance(x, Number) else lambda r: r
    return dict(s=wrap(np.max(v, 1)), y=wrap(v - np.min(v, 1, keepdims=True)))


@case('86_large', 'far_columns', '', 'y: i8[L, M, N] out strided; x: i8[L, M, N] strided', sizes(L=[2], M=[3], N=[3]),
      table='far')
def _(x):
    return np.stack([x[k] + x[1 - k, 2, 2] for k in range(2)])


@case('86_large', 'far_loop', '', 'y: u16[M, N] out; x: u16[M, N]', sizes(M=[4], N=[70]), table='far')
def _(x):
    return np.sum(x, 0, dtype=np.uint16)[None, :] + np.arange(4, dtype=np.uint16)[:, None]
