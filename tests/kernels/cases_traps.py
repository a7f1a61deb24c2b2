"""cases_traps.py -- what other systems of this kind got wrong, as small kernels; tests/traps.md lists them all"""
import numpy as np
from table import case, sizes


@case('90_traps', 'three_sums', '', 's: i32[P, 48] out; hi: i32[P, 33] out; q: i32[P] out; x: i32[P, 33, 48]; n: i32',
      sizes(P=[3], n=[0, 1, 20]), table=True)
def _(x, n):
    t, a, b = x.copy(), np.zeros((len(x), 1, 48), np.int32), np.zeros((len(x), 33, 1), np.int32)
    c = np.zeros((len(x), 1, 1), np.int32)
    for k in range(n):
        a = a + np.sum(t, 1, keepdims=True, dtype=np.int32)
        b = b + np.max(t, 2, keepdims=True)
        c = c + np.sum(t * t, (1, 2), keepdims=True, dtype=np.int32)
        t = t * 3 + a - b + c
    return dict(s=a[:, 0], hi=b[:, :, 0], q=c[:, 0, 0])


@case('90_traps', 'turns', '', 'y: i64[M, N] out; s: i64[ceil(M, 48), ceil(N, 33)] out; x: i64[M, N]; which: i32[ceil(M, 48)]',
      sizes(M=[48 * 4 + 31], N=[33 + 8]), table=True, data=dict(which=lambda rng, shape, t: np.arange(*shape) % 4))
def _(x, which):
    M, N = x.shape
    y, s = np.empty_like(x), np.zeros((-(-M // 48), -(-N // 33)), np.int64)
    for i, j in np.ndindex(*s.shape):
        part = x[48 * i:48 * i + 48, 33 * j:33 * j + 33]
        a, b = part.shape
        t = np.zeros((48, 33), np.int64)
        t[:a, :b] = part
        s[i, j] = np.sum(part)
        for k in range(which[i]):
            t = t[:, ::-1] if which[i] > k + 1 else t[::-1]
            t = t + np.sum(t[:a, :b])
        y[48 * i:48 * i + 48, 33 * j:33 * j + 33] = t[:a, :b]
    return dict(y=y, s=s)


@case('90_traps', 'live', '', 't0: f32[N] out; t1: f32[N] out; t2: f32[N] out; a: f32[N]; b: f32[N]; c: f32[N]', sizes(N=[300]),
      table=True)
def _(a, b, c):
    return dict(t0=a * b, t1=a * b + c, t2=a * b - c)


@case('90_traps', 'ends', '', 'a: i32[N] out; b: i32[N] out; c: i64[N] out; d: i64[N] out; e: u64[N] out; x: i32[N]', sizes(N=[20]),
      table=True, data=dict(x=lambda rng, shape, t: rng.choice([-2000000000, 0, 1, 2**31 - 1], shape)))
def _(x):
    wide = x.astype(np.int64)
    return dict(a=np.full(len(x), -2**31), b=(wide + 4000000000).astype(np.int32), c=np.full(len(x), 90000000000),
                d=wide * 300000 + np.int64(-2**63 + 1),
                e=np.full(len(x), 2**64 - 1, np.uint64))
