"""cases_mma.py -- contractions: matrix products of every type and shape"""
import numpy as np
from number import (Number, cast, contract, exp, highest, log, nearest, round_to, sigmoid, tanh, total, where)
from table import case, sizes

ZERO = lambda t: Number(np.float64(0), t)
EDGES = [0, 1, 31, 63, 64, 65, 97]


def product(a, b):
    return contract(a, b, Number(np.zeros((a.shape[0], b.shape[1])), 'f32'))


@case('08_matmul', 'matmul', 'T: f32 f16 bf16', 'c: T[M, N] out; a: T[M, K]; b: T[K, N]',
      sizes(M=[1, 64, 65], N=[1, 63, 72], K=[0, 1, 32, 47, 64]) + sizes(M=[0, 130], N=[0, 8], K=[33]))
def _(a, b, T):
    return cast(product(a, b), T)


@case('08_matmul', 'matmul_tn', 'T: f32 f16 bf16', 'c: T[M, N] out; a: T[K, M]; b: T[K, N]',
      sizes(M=[1, 64, 67], N=[1, 64, 66], K=[0, 1, 32, 47]))
def _(a, b, T):
    return cast(product(Number(a.v.T, a.t), b), T)


def gelu(x):
    return 0.5 * x * (1.0 + tanh(0.79788456 * (x + 0.044715 * x * x * x)))


@case('08_matmul', 'linear_gelu', 'T: f32 f16 bf16', 'c: T[M, N] out; a: T[M, K]; w: T[N, K]; bias: T[N] opt',
      sizes(M=[1, 64, 67], N=[1, 64, 66], K=[0, 32, 41]))
def _(a, w, bias, T):
    acc = product(a, Number(w.v.T, w.t))
    if bias is not None:
        acc = acc + cast(bias, 'f32')
    return cast(gelu(acc), T)


@case('examples/08_matmul', 'matmul', 'T: f32 bf16', 'c: T[M, N] out; a: T[M, K]; b: T[K, N]; bias: T[N] opt',
      sizes(M=[1, 64, 67], N=[1, 64, 72], K=[0, 1, 47, 64, 264]))
def _(a, b, bias, T):
    acc = product(a, b)
    return cast(acc if bias is None else acc + cast(bias, 'f32'), T)


@case('09_bmm', 'bmm', 'T: f32 f16', 'c: T[B, M, N] out; a: T[B, M, K]; b: T[B, K, N]',
      sizes(B=[0, 1, 3], M=[1, 65], N=[1, 64, 66], K=[0, 32, 41]))
def _(a, b, T):
    return cast(contract(a, b, Number(np.zeros((a.shape[0], a.shape[1], b.shape[2])), 'f32')), T)


@case('10_splitk', 'splitk', '', 'p: f32[S, M, N] out; a: bf16[M, K]; b: bf16[K, N]',
      sizes(S=[1, 3], M=[1, 65], N=[70], K=[0, 31, 200]) + sizes(S=[5], M=[64], N=[64], K=[96]))
def _(a, b, S):
    steps = -(-a.shape[1] // 32)
    each = -(-steps // S) * 32
    parts = [product(a[:, s * each:(s + 1) * each], b[s * each:(s + 1) * each]) for s in range(S)]
    return Number(np.stack([p.v for p in parts]), 'f32', np.stack([p.e for p in parts]))


@case('10_splitk', 'splitk_add', '', 'c: bf16[M, N] out; p: f32[S, M, N]',
      lambda edges: sizes(S=[0, 1, 5], M=[0, 1, 17], N=[1, 70])
      + sizes(S=[e + d for e in edges[::3] if e < 300 for d in (0, 1)], M=[2], N=[9]))
def _(p):
    return cast(total(p, 0), 'bf16')


@case('10_splitk', 'splitk_atomic', '', 'c: f32[M, N] inout; a: bf16[M, K]; b: bf16[K, N]; slices: i64',
      sizes(M=[65], N=[70], K=[0, 100], slices=[1, 3]) + sizes(M=[1], N=[64], K=[31], slices=[2]), unordered=True)
def _(a, b, c, slices):
    sum_ = contract(a, b, c)
    return Number(sum_.v, 'f32', sum_.e + slices * 2.0**-23 * (np.abs(a.v) @ np.abs(b.v) + np.abs(c.v)))


@case('examples/11_linear', 'linear_gelu', '',
      'y: bf16[M, N] out; x: bf16[M, K]; w: bf16[N, K]; bias: bf16[N]; residual: bf16[M, N] opt',
      sizes(M=[1, 128, 136], N=[8, 128, 140], K=[0, 8, 64, 264]))
def _(x, w, bias, residual):
    t = cast(gelu(product(x, Number(w.v.T, 'bf16')) + cast(bias, 'f32')), 'f32')
    return cast(t if residual is None else t + cast(residual, 'f32'), 'bf16')


@case('examples/12_batched', 'batched', '', 'c: f16[B, M, N] out; a: f16[B, M, K]; b: f16[G, K, N]',
      sizes(B=[4], M=[1, 128, 136], N=[8, 256, 264], K=[0, 8, 64, 136], G=[1, 2]))
def _(a, b, B, M, N, G):
    one = [cast(product(a[p], b[p // (B // G)]), 'f16') for p in range(B)]
    return Number(np.stack([x.v for x in one]), 'f16', np.stack([x.e for x in one]))


@case('11_persistent', 'matmul_persistent', '', 'c: bf16[M, N] out; a: bf16[M, K]; b: bf16[K, N]',
      sizes(M=[1, 128, 130], N=[1, 128, 136], K=[0, 64, 72, 131]))
def _(a, b):
    return cast(product(a, b), 'bf16')


@case('12_fp8', 'matmul_fp8', '', 'c: bf16[M, N] out; a: f8e4m3[M, K]; b: f8e4m3[N, K]; '
      'sa: f32[M, ceil(K, 128)]; sb: f32[ceil(N, 128), ceil(K, 128)]',
      sizes(M=[1, 65], N=[1, 64, 130], K=[0, 16, 128, 150, 300]))
def _(a, b, sa, sb):
    (M, K), N = a.shape, b.shape[0]
    acc = Number(np.zeros((M, N)), 'f32')
    for k in range(0, K, 128):
        part = product(a[:, k:k + 128], Number(b[:, k:k + 128].v.T, b.t))
        scale = sb[:, k // 128].v[np.arange(N) // 128]
        acc = acc + part * (sa[:, k // 128].reshape(M, 1) * Number(scale, 'f32'))
    return cast(acc, 'bf16')


def blocks(x, n=128):
    """x[M, K] as [M, K / n, n], the last filled with zeros."""
    pad = -x.shape[1] % n
    return Number(np.pad(x.v, ((0, 0), (0, pad))), x.t).reshape(x.shape[0], -1, n)


def scaled(x, most):
    t = blocks(cast(x, 'f32'))
    a = highest(abs(t), 2)
    f = where(a.v == 0, Number(np.ones(a.shape), 'f32'), a / most)
    q = t / f.reshape(f.shape + (1,))
    return f, Number(q.v.reshape(x.shape[0], -1)[:, :x.shape[1]], 'f32', q.e.reshape(x.shape[0], -1)[:, :x.shape[1]])


@case('12_fp8', 'quantise', 'Q: f8e4m3 f8e5m2', 'q: Q[M, K] out; s: f32[M, ceil(K, 128)] out; x: bf16[M, K]',
      sizes(M=[1, 4, 5], K=[1, 128, 131, 300]))
def _(x, T):
    f, q = scaled(x, {'f8e4m3': 448.0, 'f8e5m2': 57344.0}[T])
    return dict(q=cast(q, T), s=f)


@case('12_fp8', 'quantise_i8', '', 'q: i8[M, K] out; s: f32[M, ceil(K, 128)] out; x: bf16[M, K]',
      sizes(M=[1, 4, 5], K=[1, 128, 131, 300]))
def _(x):
    f, q = scaled(x, 127.0)
    return dict(q=nearest(q).v.astype(np.int8), s=f)


@case('13_int4', 'matmul_w4', '', 'c: f16[M, N] out; a: f16[M, K]; w: u32[K / 8, N]; s: f16[ceil(K, 128), N]',
      sizes(M=[1, 16, 17], N=[1, 64, 70], K=[0, 8, 128, 136, 264]),
      data=dict(w=lambda rng, shape, t: rng.integers(0, 1 << 32, shape, dtype=np.uint32)))
def _(a, w, s):
    K, N = a.shape[1], w.shape[1]
    q = (w[:, None, :] >> (np.arange(8, dtype=np.uint32) * 4)[None, :, None] & 15).reshape(K, N)
    row = np.arange(K) // 128
    return cast(product(a, (Number(q.astype(np.float64), 'f16') - 8.0) * s[row]), 'f16')


# ---- every type ---------------------------------------------------------------------------------

SMALL = sizes(M=[1, 16, 17], N=[1, 16, 33], K=[0, 1, 16, 29, 64])


@case('60_mma_types', 'plain', 'T: f32 f64', 'c: T[M, N] out; a: T[M, K]; b: T[K, N]', SMALL)
def _(a, b, T):
    return contract(a, b, Number(np.zeros((a.shape[0], b.shape[1])), T))


@case('60_mma_types', 'halves', '', 'c: f16[M, N] out; a: f16[M, K]; b: f16[K, N]', SMALL)
def _(a, b):
    return contract(a, b, Number(np.zeros((a.shape[0], b.shape[1])), 'f16'))


@case('60_mma_types', 'rounded', '', 'c: f32[M, N] out; a: f32[M, K]; b: f32[K, N]', SMALL)
def _(a, b):
    return product(Number(round_to('tf32', a.v), 'tf32'), Number(round_to('tf32', b.v), 'tf32'))


@case('60_mma_types', 'tf32_tensors', '',
      'c: f32[M, N] out; r: tf32[M, N] out; a: tf32[M, K]; b: tf32[K, N]', SMALL)
def _(a, b):
    c = product(a, b)
    return dict(c=c, r=cast(c, 'tf32'))


@case('60_mma_types', 'small', 'T: f8e4m3 f8e5m2', 'c: f32[M, N] out; a: T[M, K]; b: T[N, K]', SMALL)
def _(a, b):
    return product(a, Number(b.v.T, b.t))


@case('60_mma_types', 'small_mixed', '', 'c: f8e4m3[M, N] out; a: f8e4m3[M, K]; b: f8e5m2[K, N]', SMALL,
      data=dict(a=lambda rng, shape, t: rng.integers(-4, 5, shape) * 0.5, b=lambda rng, shape, t: rng.integers(-3, 4, shape) * 1.0))
def _(a, b):
    return Number(round_to('f8e4m3', a.v @ b.v), 'f8e4m3')        # exact, then rounded once


def any_byte(rng, shape, t):
    low, high = (0, 256) if t == 'u8' else (-128, 128)
    return rng.integers(low, high, shape)


@case('60_mma_types', 'bytes', 'T: i8 u8', 'c: i32[M, N] out; d: i32[M, N] out; a: T[M, K]; b: u8[K, N]; s: i8[K, N]',
      SMALL, data=dict(a=any_byte, b=any_byte, s=any_byte))
def _(a, b, s):
    a, b, s = (x.astype(np.int64) for x in (a, b, s))
    return dict(c=(a @ b).astype(np.int32), d=(a @ s + 2147483647).astype(np.int32))


# ---- every shape --------------------------------------------------------------------------------


@case('61_mma_shapes', 'leading', '', 'c: f32[P, Q, M, N] out; a: f32[Q, M, K]; b: f32[P, K, N]; v: f32[N]',
      sizes(P=[1, 2, 3], Q=[1, 3, 4], M=[1, 5], N=[1, 8, 9], K=[0, 8, 11]))
def _(a, b, v):
    acc = Number(np.broadcast_to(v.v, (b.shape[0], a.shape[0], a.shape[1], b.shape[2])), 'f32')
    return contract(a, Number(b.v[:, None], 'f32'), acc)


@case('61_mma_shapes', 'turned', 'T: f32 bf16',
      'nn: f32[M, N] out; nt: f32[M, N] out; tn: f32[M, N] out; tt: f32[M, N] out; dt: f32[N, M] out; '
      'a: T[M, K]; at: T[K, M]; b: T[K, N]; bt: T[N, K]', sizes(M=[1, 16, 17], N=[1, 32, 36], K=[0, 16, 21]))
def _(a, at, b, bt):
    t = lambda x: Number(x.v.T, x.t)
    return dict(nn=product(a, b), nt=product(a, t(bt)), tn=product(t(at), b), tt=product(t(at), t(bt)),
                dt=product(bt, at))


@case('61_mma_shapes', 'both_ways', '', 'c: f32[M, N] out; ct: f32[N, M] out; a: f32[M, 8]; b: f32[8, N]',
      sizes(M=[1, 16, 20], N=[1, 24, 28]))
def _(a, b):
    u = product(a, b)
    return dict(c=u, ct=Number(u.v.T, 'f32', u.e.T))


@case('61_mma_shapes', 'odd', '', 'c: f32[M, N] out; a: f16[M, K]; b: f16[K, N]',
      sizes(M=[1, 17, 20], N=[1, 19, 40], K=[0, 1, 22, 23, 24, 50]))
def _(a, b):
    return product(a, b)


@case('61_mma_shapes', 'thin', '', 'row: f32[N] out; col: f32[N] out; one: f32[ceil(N, 33)] out; outer: f32[N, 33] out; '
      'x: f32[N]; w: f32[33, 33]', [dict(N=n, B=33) for n in (1, 32, 33)])
def _(x, w):
    n = x.shape[0]
    t = Number(np.pad(x.v, (0, 33 - n)).reshape(1, 33), 'f32')
    turn = Number(t.v.T, 'f32')
    return dict(row=product(t, w)[0, :n], col=product(w, turn)[:n, 0], one=product(t, turn)[0],
                outer=product(turn, t)[:n])


@case('61_mma_shapes', 'with_itself', '', 'y: f32[P, 12, 12] out; x: f32[P, 12, 12]', sizes(P=[0, 1, 3], B=[12]))
def _(x):
    return contract(x, x, x)


@case('61_mma_shapes', 'gram', '', 'g: f32[M, M] out; x: bf16[K, M]', sizes(M=[1, 16, 17, 33], K=[0, 1, 24, 25, 71]))
def _(x):
    return product(Number(x.v.T, x.t), x)


@case('61_mma_shapes', 'chained', 'T: f32 f16', 'y: f32[M, N] out; a: T[M, 24]; b: T[24, 40]; c: T[40, N]',
      sizes(K=[24], L=[40], M=[1, 16, 17], N=[1, 16, 20]))
def _(a, b, c, T):
    return product(cast(product(a, b), T), c)


@case('61_mma_shapes', 'gated', '', 'y: bf16[M, N] out; x: bf16[M, K]; u: bf16[K, N]; w: bf16[K, N]',
      sizes(M=[1, 32, 33], N=[1, 32, 40], K=[0, 16, 19]))
def _(x, u, w):
    gate = product(x, u)
    return cast(gate * sigmoid(gate) * product(x, w), 'bf16')


# ---- control, masks, memory ---------------------------------------------------------------------


@case('62_mma_control', 'nested', '', 'c: f32[M, N] out; a: f32[P, M, K]; b: f32[P, K, N]; on: i32[P]',
      sizes(P=[0, 1, 4], M=[16, 17], N=[16, 9], K=[0, 8, 13]), data=dict(on=lambda rng, shape, t: np.arange(shape[0]) % 3 == 0))
def _(a, b, on, M, N):
    up = lambda n: -(-n // 16) * 16
    acc = Number(np.zeros((up(M), up(N))), 'f32')
    for p in range(a.shape[0]):
        if on[p] > 0:
            ta = np.pad(a.v[p], ((0, up(M) - M), (0, 0)))
            acc = contract(Number(ta, 'f32'), Number(np.pad(b.v[p], ((0, 0), (0, up(N) - N))), 'f32'), acc)
        else:
            parts = [contract(acc[:, j:j + 16], Number(np.ones((16, 16)), 'f32')) for j in range(0, up(N), 16)]
            acc = Number(np.concatenate([p.v for p in parts], 1), 'f32', np.concatenate([p.e for p in parts], 1))
    return acc[:M, :N]


@case('62_mma_control', 'powers', '', 'y: f32[M, 16] out; x: f32[M, 16]; w: f32[16, 16]; n: i32',
      sizes(M=[1, 16], n=[0, 1, 2, 5]))
def _(x, w, n):
    t, left = x, n
    while left > 0:
        t, left = contract(t, w), left - 1
        if np.max(np.abs(t.v)) > 100:
            break
    return t


@case('62_mma_control', 'scores', '', 'o: f32[M, 32] out; q: f32[M, 32]; k: f32[N, 32]',
      sizes(D=[32], M=[1, 16, 18], N=[0, 1, 16, 21]))
def _(q, k):
    acc = Number(np.zeros(q.shape), 'f32')
    for j in range(0, k.shape[0], 16):
        tk = k[j:j + 16]
        s = product(q, Number(tk.v.T, 'f32'))
        e = exp(s - highest(s, 1, keepdims=True))
        acc = contract(e / total(e, 1, keepdims=True), tk, acc)
    return acc


@case('62_mma_control', 'beside', '', 'y: f32[M, N] out; x: f32[M, N]; a: f32[M, 16]; w: f32[16, 1]',
      sizes(M=[1, 8, 9], N=[0, 1, 31, 256, 257, 1025, 2000]))
def _(x, a, w):
    return (x - highest(x, 1, keepdims=True)) * product(a, w)


def ragged(axis):
    """Numbers in the first places, infinities and NaN in the others."""
    def make(rng, shape, t):
        v = rng.normal(size=shape)
        at = np.arange(shape[axis]).reshape((-1, 1) if axis == 0 else (1, -1))
        return np.where(at < 16, v, np.where(at % 3 == 0, np.inf, np.where(at % 3 == 1, np.nan, -np.inf)))
    return make


@case('62_mma_control', 'kept', '',
      'c: f32[M, N] out; d: f32[M, N] out; e: f32[M, N] out; a: f32[M, 32]; b: f32[32, N]; n: i64; m: i64',
      sizes(M=[1, 16, 17], N=[1, 16, 20], n=[-1, 0, 1, 7, 16], m=[0, 3, 20, 40]), data=dict(a=ragged(1), b=ragged(0)))
def _(a, b, n, m):
    n = max(n, 0)
    both = product(a[:, :n], b[:n])
    return dict(c=both, d=both, e=product(a[:, min(m, n):n], b[min(m, n):n]))


@case('62_mma_control', 'padded', '',
      'c: f32[M, N] out; u: i32[M, N] out; a: f32[M, K]; b: f32[K, N]; s: i8[M, K]; t: i8[K, N]',
      sizes(M=[1, 8, 9], N=[1, 8, 12], K=[0, 1, 16, 19]))
def _(a, b, s, t):
    count = ((s + 1).astype(np.int8).astype(np.int64) @ t.astype(np.int64)).astype(np.int32)
    return dict(c=product(log(abs(a)), 1.0 / b), u=count)


@case('63_mma_memory', 'large', '', 'c: f32[M, N] out; a: f32[M, K]; b: f32[K, N]',
      sizes(M=[1, 65], N=[128, 130], K=[0, 96, 100]))
def _(a, b):
    return product(a, b)


@case('63_mma_memory', 'chain', '', 'y: f32[M, 64] out; x: f32[M, 64]; w: f32[R, 64, 64]',
      [dict(M=64, B=64, R=r) for r in (0, 1, 2, 3)])
def _(x, w):
    t = x
    for r in range(w.shape[0]):
        v = product(product(t, w[r]), Number(w.v[r].T, 'f32'))
        t = (v + Number(v.v.T, 'f32', v.e.T)) / (1.0 + highest(abs(v), 0, keepdims=True))
    return t


@case('63_mma_memory', 'turned_large', '', 'y: f32[N, M] out; x: f32[M, N]', sizes(M=[1, 128, 130], N=[1, 128, 200]))
def _(x):
    return Number(x.v.T, 'f32')


@case('89_shared', 'most', '', 'y: f32[M, N] out; x: f32[M, L]; w: f32[L, N]', sizes(M=[1, 70], N=[65], L=[1, 435, 436]))
def _(x, w):
    return product(x, w)
