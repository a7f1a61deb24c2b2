"""cases_mixed.py -- control flow in control flow"""
import numpy as np
from table import case, sizes

FILE = '62_mixes'


def wrap(v, t):
    """An integer as type t has it."""
    return int(np.array(v % 2 ** 64, np.uint64).astype(np.uint64).view(np.int64).astype(t))


def padded(x, i, n):
    """Tile i of n elements: what exists of it, and zeros."""
    t = x[i * n:(i + 1) * n]
    return np.concatenate([t, np.zeros(n - len(t), x.dtype)])


@case(FILE, 'joined', '', 'y: i64[N] out; x: i64[N]; n: i64', sizes(N=[0, 1, 7, 8, 9, 30], n=[0, 1, 2, 3, 5]),
      data=dict(x=lambda rng, shape, t: rng.integers(-9, 10, shape)))
def _(x, N, n):
    y = x.copy()
    for i in range(-(-N // 8)):
        acc, t = x[8 * i:8 * i + 8], i
        for q in range(n, 0, -1):
            if q > 3:
                acc = acc * 2 - t
            elif q > 1:
                z = acc * 0 + t
                for r in range(q):
                    z = z + acc
                    if r != 1:
                        z = z * 3
                acc = z
            else:
                z = acc
                while z.sum() < n * 100:
                    z = z + max(acc.max(), 0) + 7
                    if z.max() > 1000:
                        break
                acc = z - acc
        y[8 * i:8 * i + 8] = acc
    return y


@case(FILE, 'jumps', '', 'y: i32[N] out; at: i64[ceil(N, 16)] out; x: i32[N]; n: i64; limit: i32',
      sizes(N=[0, 1, 16, 17, 50], n=[0, 1, 3, 6, 12], limit=[-10, 60, 5000]),
      data=dict(x=lambda rng, shape, t: rng.integers(-9, 10, shape)))
def _(x, N, n, limit):
    y, at = x.copy(), np.zeros(-(-N // 16), np.int64)
    for i in range(len(at)):
        t = padded(x, i, 16)
        a, b, k, place = t, t - 1, 0, -1
        for p in range(n):
            if p % 3 == 2:
                for q in range(p, 0, -2):
                    a, b = b + np.int32(q), a
                    if q == 3:
                        k += 1
                        continue
                    if a.sum() > limit:
                        place = p * 100 + q
                        break
                    while k < 5:
                        k += 2
                        if k == 4:
                            continue
                        b = b - np.int32(k)
                        if b.max() < 0:
                            break
                if place > 400:
                    break
            elif p == 4:
                if k > 6:
                    k = 0
                    continue
                a, b = b + 1, a
                a = a + 2
            else:
                a, b = a + b, a
            k = (k + 1) % 7
        at[i] = place
        y[16 * i:16 * i + 16] = (t if k == 6 else a - b + np.int32(k))[:max(0, N - 16 * i)]
    return dict(y=y, at=at)


def left(t, i, n):
    """One program of `leaves`."""
    y = u = t
    for p in range(n):
        for q in range(p):
            u = u + np.int32(q)
            if (p + q + i) % 5 == 4:
                return u
            if (p * q) % 3 == 1:
                break
        y, w = u * 2, p
        while w > 0:
            w //= 2
            if w == i:
                return y
            u = np.maximum(u, np.int32(w))
    return u - 1


@case(FILE, 'leaves', '', 'y: i32[N] out; x: i32[N]; n: i32', sizes(N=[0, 1, 32, 33, 200], n=[0, 1, 2, 3, 5, 9]))
def _(x, N, n):
    parts = [left(x[a:a + 32], a // 32, n) for a in range(0, N, 32)]
    return np.concatenate(parts) if parts else x


@case(FILE, 'scalars', '', 'y: i64[N] out; x: i32[N]; n: u32', sizes(N=[0, 1, 5, 33], n=[0, 1, 2, 7, 40]))
def _(x, N, n):
    y = np.zeros(N, np.int64)
    for i in range(N):
        v, b, s, w, on = int(x[i]), 1, 65530, -1, True
        for _ in range(n):
            if on:
                b = wrap(b * 3 + 1, np.int8)
                on = b > 0
            else:
                s, on = wrap(s + 7, np.uint16), s % 5 != 3
            w = wrap(w * 2 + s if on else w - b, np.int64)
            if not on and np.fmod(v, 4) == 1:
                continue
            s = wrap(s - 3, np.uint16)
        y[i] = wrap(w * 1000 + wrap(b * 10, np.int8) + (1 if on else 0) + wrap(s * v, np.int32), np.int64)
    return y
