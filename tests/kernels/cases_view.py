"""cases_view.py -- views, elements, regions: where a tensor is touched"""
import numpy as np
from inputs import positive, rows
from number import Number, cast, exp, highest, total
from number import mean as average
from table import around, case, sizes


def clipped(x, lo, hi, axis=0):
    """x[lo..hi] of an axis, clipped to what exists."""
    n = x.shape[axis]
    lo = min(max(lo, 0), n)
    return x[(slice(None),) * axis + (slice(lo, max(lo, min(hi, n))),)]


def at(x, i, zero):
    """x[i] of the first axis, or zeros."""
    return x[i] if 0 <= i < x.shape[0] else zero


def window(x, start, count, step=1, pad=0):
    """count elements of a vector from start on."""
    return np.array([x[k] if 0 <= k < len(x) else pad for k in range(start, start + count * step, step)], x.dtype)


def reshaped(ns, shape):
    """Numbers of one element type as one array."""
    return Number(np.array([n.v for n in ns]).reshape(shape), 'f32', np.array([n.e for n in ns]).reshape(shape))


@case('04_layernorm_bwd', 'layernorm_bwd', 'T: f32 bf16',
      'dx: T[M, N] inout; dwp: f32[G, N] out; dbp: f32[G, N] out; dy: T[M, N]; x: T[M, N]; w: T[N]; mean: f32[M]; rstd: f32[M]',
      sizes(M=[0, 1, 5, 9, 20], N=[1, 33, 128, 257, 1000], G=[1, 2, 7]), data=dict(rstd=positive))
def _(dx, dy, x, w, mean, rstd, M, N, G):
    d, tw, column = cast(dy, 'f32'), cast(w, 'f32'), lambda n: n.reshape(M, 1)
    xh = (cast(x, 'f32') - column(mean)) * column(rstd)
    c1, c2 = average(d * tw * xh, 1, keepdims=True), average(d * tw, 1, keepdims=True)
    dx = cast(cast(dx, 'f32') + (d * tw - xh * c1 - c2) * column(rstd), dx.t)
    size = max(-(-M // G), 1)
    slab = lambda n: reshaped([total(n[g * size:(g + 1) * size], 0) for g in range(G)], (G, N))
    return dict(dx=dx, dwp=slab(d * xh), dbp=slab(d))


@case('04_layernorm_bwd', 'add_rows', '', 's: f32[N] inout; p: f32[G, N]', sizes(G=[0, 1, 31, 32, 33, 70], N=around(128)))
def _(s, p):
    return s + total(p, 0)


@case('21_transpose', 'transpose2', 'T: f32 f16 i8', 'y: T[N, M] out; x: T[M, N]',
      sizes(M=[0, 1, 31, 32, 33, 64], N=around(32)))
def _(x):
    return Number(x.v.T, x.t) if isinstance(x, Number) else x.T


@case('21_transpose', 'permute4', '', 'y: f32[D, C, A, B] out; x: f32[A, B, C, D]',
      sizes(A=[0, 1, 3], B=[1, 31, 33], C=[1, 2], D=[0, 1, 32, 40]))
def _(x):
    return Number(x.v.transpose(3, 2, 0, 1), 'f32')


@case('21_transpose', 'split_heads', '', 'q: bf16[B, NH, N, D] out; k: bf16[B, NH, N, D] out; v: bf16[B, NH, N, D] out; '
      'x: bf16[B, N, 3, NH, D]', sizes(B=[0, 1, 2], NH=[1, 3], N=[0, 1, 15, 17], D=[64, 128]))
def _(x):
    part = lambda n: Number(x.v[:, :, n].transpose(0, 2, 1, 3), 'bf16')
    return dict(q=part(0), k=part(1), v=part(2))


@case('54_views', 'differences', 'T: f32 i8', 'y: T[M, N] out; x: T[M, N + 1]', sizes(M=[0, 1, 3], N=around(64)))
def _(x, N):
    return x[:, 1:] - x[:, :N]


@case('54_views', 'row_range', '', 's: i32[N] out; x: i32[M, N]; lo: i32; hi: i64',
      sizes(M=[0, 1, 7, 9], N=[1, 31, 33, 64], lo=[-3, 0, 2, 8, 20], hi=[-1, 2, 7, 2**63 - 1, -2**63]))
def _(x, lo, hi):
    part = clipped(x, lo, hi)
    return part.sum(0, dtype=np.int32) + (part[-1] if len(part) else 0)


@case('54_views', 'any_row', '', 'y: f32[2, N] out; total: f32[1] out; x: f32[M, N]; r: i32',
      lambda edges: [dict(s, r=r) for s in rows(edges, few=(0, 1, 3)) for r in (-1, 0, 2)])
def _(x, r, N):
    t = at(x, r, Number(np.full(N, 2.0), 'f32'))
    y = np.stack([t.v, -t.v])
    return dict(y=Number(y, 'f32'), total=total(t).reshape(1))


@case('54_views', 'diagonal_blocks', '', 'y: f16[B, 24, 24] out; x: f16[24 * B, 24 * B]', sizes(B=[0, 1, 2, 5], K=[24]))
def _(x, B):
    blocks = [x.v[24 * b:24 * b + 24, 24 * b:24 * b + 24].T for b in range(B)]
    return Number(np.array(blocks).reshape(B, 24, 24), 'f16')


@case('54_views', 'part_of_part', '', 'y: i32[M, 16] inout; c: i64',
      sizes(M=[0, 1, 4, 5, 6, 13], c=[-9, -3, 0, 5, 8, 12, 16, 100, 2**63 - 1, -2**63]))
def _(y, c, M):
    y = y.copy()
    y[:, max(c, 0):max(c + 8, 0)] *= 2
    for i in range(0, M, 5):
        part = y[i:i + 5]
        part[:-1] = part[1:] + i // 5
        if len(part) < 5:
            part[-1:] = i // 5
        else:
            part[4] -= 3
    return y


@case('54_views', 'nested', '', 'y: i32[M, 4, 8] out; x: i32[M, N]; a: i32; b: i32; w: i64',
      sizes(M=[1, 3], B=[8], N=[0, 1, 6, 20], a=[-2, 0, 3, 30], b=[0, 5, 19, 40], w=[-20, -3, 0, 2, 6]))
def _(x, M, a, b, w):
    out = []
    for i in range(M):
        row = clipped(x[i], a, b)
        fourth = window(clipped(clipped(row, 2, 10**6), -3, 2), 0, 8, pad=-1) + len(row)
        out.append([window(row, w, 8, pad=100), window(clipped(row, 1, 10**6), w, 8, pad=100),
                    window(clipped(clipped(row, 0, 5), 2, 11), w, 8, step=2, pad=100), fourth])
    return np.array(out, np.int32).reshape(M, 4, 8)


@case('54_views', 'batched', '', 'y: f32[B, G, N] out; k: f32[B, G, N, D]; w: f32[B, D]; by_group: bool',
      sizes(B=[0, 1, 2], G=[1, 3], N=[0, 1, 17], D=[1, 33, 300], by_group=[False, True]))
def _(k, w, B, G, N, by_group):
    sums = [total(k[b, g if by_group else 0] * w[b], 1) for b in range(B) for g in range(G)]
    return reshaped(sums, (B, G, N))


@case('54_views', 'aligned_views', '', 'y: f32[M, N] out; x: f32[3, M, N]; bias: f32[2, N] opt; p: i64',
      sizes(M=[0, 1, 3], N=around(32), p=[-1, 0, 2, 3]))
def _(x, bias, p, M, N):
    t = at(x, p, Number(np.zeros((M, N)), 'f32')) + x[1]
    return t + (bias[1] - bias[0]) if bias is not None else t


@case('54_views', 'through_fn', '', 'y: i32[M, 2, 12] inout', sizes(M=[0, 1, 4, 5, 11]))
def _(y):
    y = y.copy()
    y[:, 1] += 5
    y[:, 0, 2:5] += 7
    return y


@case('54_views', 'six', '', 'y: i32[A, C, E, B, D, F] out; x: i32[A, B, C, D, E, F]',
      sizes(A=[1, 2], B=[1, 3], C=[1, 3, 4], D=[1, 2, 5], E=[0, 1, 2], F=[1, 8, 9]))
def _(x):
    return x.transpose(0, 2, 4, 1, 3, 5)


@case('54_views', 'shifted_softmax', '', 'y: f32[M, N] out; x: f32[L, N]; lo: i64',
      lambda edges: [dict(s, L=s['M'] + d, lo=d) for s in rows(edges, few=(1, 3)) for d in (0, 2) if s['N'] > 0])
def _(x, M, lo):
    x = x[lo:lo + M]
    e = exp(x - highest(x, 1, keepdims=True))
    return e / total(e, 1, keepdims=True)


@case('54_views', 'columns', 'T: f32 u8', 'y: T[M, 64] out; z: T[M, 32] out; x: T[M, N]; c: i32',
      sizes(M=[0, 1, 5], N=[1, 31, 33, 64, 97, 128], c=[-5, 0, 1, 16, 64, 200]))
def _(x, M, N, c):
    v = x.v if isinstance(x, Number) else x
    y, z = np.zeros((M, 64), v.dtype), np.zeros((M, 32), v.dtype)
    a, b = clipped(v, c, c + 10**6, 1)[:, :64], clipped(v, 32, 64, 1)
    y[:, :a.shape[1]], z[:, :b.shape[1]] = a, b
    wrap = (lambda n: Number(n, 'f32')) if isinstance(x, Number) else (lambda n: n)
    return dict(y=wrap(y), z=wrap(z))


# ---- elements ----------------------------------------------------------------------------------


def offsets(most):
    """Rising numbers, some beyond what they point into."""
    return lambda rng, shape, t: np.sort(rng.integers(0, most, shape))


@case('55_elements', 'spmv', '', 'y: f32[M] out; vals: f32[Z]; cols: i32[Z]; off: i32[M + 1]; x: f32[N]',
      sizes(M=[0, 1, 5, 33], Z=[0, 1, 60], N=[1, 9]),
      data=dict(off=offsets(64), cols=lambda rng, shape, t: rng.integers(-1, 10, shape)))
def _(vals, cols, off, x, M, Z, N):
    out = []
    for r in range(M):
        acc = Number(np.array(0.0), 'f32')
        for p in range(off[r], off[r + 1]):
            c = cols[p] if p < Z else 0
            acc = acc + (vals[p] * x[c] if p < Z and 0 <= c < N else Number(np.array(0.0), 'f32'))
        out.append(acc)
    return reshaped(out, (M,))


@case('55_elements', 'segment_sums', 'T: i32 f32', 's: T[V] out; start: i64[V + 1]; x: T[N]',
      sizes(V=[0, 1, 5, 33], N=[0, 1, 63, 64, 65, 400]), data=dict(start=offsets(420)))
def _(start, x, V):
    parts = [clipped(x, start[v], start[v + 1]) for v in range(V)]
    if isinstance(x, Number):
        return reshaped([total(p) for p in parts], (V,))
    return np.array([p.sum(dtype=np.int32) for p in parts], np.int32)


@case('55_elements', 'picked', '', 'y: i32[V, N] out; x: i32[M, N]; pick: u8[V]; table: i16[K, 3]; kind: i32',
      sizes(V=[0, 1, 7], N=[1, 31, 33], M=[0, 1, 5], K=[1, 4], kind=[-1, 0, 3, 4]),
      data=dict(pick=lambda rng, shape, t: rng.integers(0, 8, shape)))
def _(x, pick, table, V, M, N, K, kind):
    rows_ = [at(x, pick[v], np.zeros(N, np.int32)) for v in range(V)]
    factor = [1 if kind < 0 else int(table[kind, v % 3]) if kind < K else 0 for v in range(V)]
    return np.array([r * np.int32(f) for r, f in zip(rows_, factor)], np.int32).reshape(V, N)


@case('55_elements', 'lengths', '', 'y: i32[M] out; x: i32[M, N]; lens: i32[M]', sizes(M=[0, 1, 9], N=[1, 15, 16, 17, 50]),
      data=dict(lens=lambda rng, shape, t: rng.integers(-3, 60, shape)))
def _(x, lens, M, N):
    lowest = np.iinfo(np.int32).min
    out = []
    for b in range(M):
        acc, row = 0, clipped(x[b], 0, lens[b])
        for k in range(0, max(lens[b], 0), 16):
            acc += int(max(row[k:k + 16], default=lowest))
        out.append(-1 if lens[b] <= 0 else (acc + 2**31) % 2**32 - 2**31)
    return np.array(out, np.int32)


@case('55_elements', 'running', '', 'y: i32[N] inout', sizes(N=[0, 1, 39, 40, 41, 97]))
def _(y, N):
    parts = [np.cumsum(y[i:i + 40], dtype=np.int32) for i in range(0, N, 40)]
    return np.concatenate(parts) if parts else y


@case('55_elements', 'typed', '', 'y: f32[N] out; flags: bool[L]; h: f16[2, K]; bits: u64[N]',
      sizes(N=[0, 1, 33], L=[0, 1, 20, 40], K=[1, 3, 5]))
def _(flags, h, bits, N, L, K):
    out = []
    for i in range(N):
        f = h.v[1, i % 5] if i % 5 < K else 0.0
        v = f if i < L and flags[i] else -f
        out.append(v * 2 if i + 1 < L and flags[i + 1] and bits[i] > 7 else v)
    return Number(np.array(out), 'f32')


@case('55_elements', 'chains', '', 'y: i32[N] out; next: i32[N]', sizes(N=[0, 1, 2, 33]),
      data=dict(next=lambda rng, shape, t: rng.integers(-1, 40, shape)))
def _(N, **named):
    out, chain = [], named['next']
    for i in range(N):
        p, steps = i, 0
        while p < N and chain[p] > 0 and steps < 50:
            p, steps = chain[p], steps + 1
        out.append(steps)
    return np.array(out, np.int32)


@case('55_elements', 'short_segments', '', 's: i32[V] out; start: i32[V + 1]; x: i32[N]',
      sizes(V=[0, 1, 5, 33], N=[1, 63, 400]), data=dict(start=offsets(420)))
def _(start, x, V):
    parts = [clipped(x, start[v], start[v + 1]) for v in range(V)]
    sums = [sum(int(p[k:k + 8].max()) * int(p[k:k + 8].sum()) for k in range(0, len(p), 8)) for p in parts]
    return np.array([(n + 2**31) % 2**32 - 2**31 for n in sums], np.int32)


@case('55_elements', 'maybe', '', 'y: i32[M, N] out; b: i32[2, N] opt; c: i32[M] opt; x: i32[M, N]',
      sizes(M=[0, 1, 5], N=[1, 15, 16, 33]))
def _(b, c, x, M, N):
    t = x + (c.reshape(M, 1) if c is not None else np.int32(100))
    t = t + b[1] if b is not None and b[0, 0] > 0 else t
    negate = (c > 1 if c is not None else np.zeros(M, bool)) | (b is None)
    return np.where(negate.reshape(M, 1), -t, t)


def taken(a, r, c, n, pad):
    """n elements of row r from column c on."""
    return window(a[r], c, n, pad=pad) if 0 <= r < len(a) else np.full(n, pad, a.dtype)


@case('55_elements', 'view_rows', '', 'y: i32[B, 8, 16] out; s: i32[B, 16] out; x: i32[B, M, N]; rows: i32[L]; off: i32[B + 1]; lo: i32',
      sizes(B=[0, 1, 3], M=[1, 4, 9], N=[1, 15, 33], L=[1, 9, 30], lo=[-2, 0, 3, 20]),
      data=dict(rows=lambda rng, shape, t: rng.integers(-2, 9, shape), off=offsets(34)))
def _(x, rows, off, B, L, lo):
    y, s = np.zeros((B, 8, 16), np.int32), np.zeros((B, 16), np.int32)
    for b in range(B):
        part, ids = clipped(x[b], lo, 10**6), window(rows, 8 * b, 8)
        y[b] = [taken(part, r, 4, 16, 0) for r in ids]
        for r in clipped(rows, off[b], off[b + 1]):
            s[b] += taken(x[b], r, 0, 16, 1)
    return dict(y=y, s=s)


@case('55_elements', 'view_counts', '', 'h: i32[M, K] inout; x: i32[M, N]; top: i32',
      sizes(M=[0, 1, 3], N=[0, 1, 32, 70], K=[1, 5, 9], top=[-1, 1, 4, 20]),
      data=dict(x=lambda rng, shape, t: rng.integers(-2, 9, shape)))
def _(h, x, top):
    h = h.copy()
    for i in range(len(h)):
        part = clipped(h[i], 1, top)
        for v in x[i]:
            if 0 <= v < len(part):
                part[v] += 1
    return h


@case('18_embedding', 'embedding_bwd_sorted', 'T: f32 bf16', 'dw: T[V, D] inout; dout: T[N, D]; order: i32[N]; off: i32[V + 1]',
      sizes(V=[0, 1, 5], N=[0, 1, 17, 40], D=[1, 33, 128, 130]),
      data=dict(order=lambda rng, shape, t: rng.permutation(shape[0]), off=offsets(44)))
def _(dw, dout, order, off, V, D):
    out = []
    for v in range(V):
        ids = clipped(order, off[v], off[v + 1])
        acc = cast(dw[v], 'f32') + total(cast(dout[ids], 'f32'), 0)
        out.append(cast(acc, dw.t) if len(ids) else dw[v])
    return Number(np.array([n.v for n in out]).reshape(V, D), dw.t, np.array([n.e for n in out]).reshape(V, D))


# ---- regions -----------------------------------------------------------------------------------


@case('56_regions', 'reversed', '', 'y: i32[M, N] out; x: i32[M, N]', sizes(M=[0, 1, 4, 5], N=around(16)))
def _(x, N):
    return x + (np.arange(N) // 16).astype(np.int32)


@case('56_regions', 'slabs', '', 'y: i32[M, 8] inout; count: i64[G, 3] inout', sizes(M=[0, 1, 5, 6, 12, 100], G=[0, 1, 2, 5, 7]))
def _(y, count, M, G):
    y, count = y.copy(), count.copy()
    size = -(-M // G) if G else 0
    for g in range(max(G, -(-M // size) if size else 0)):
        part = y[g * size:(g + 1) * size]
        part *= 3
        part += g
        if len(part):
            part[0, 5] = -1
        if g < G:
            count[g] = [len(part), g * size, g]
    return dict(y=y, count=count)


@case('56_regions', 'offsets', '', 'y: i32[V] out; keys: i32[N]', sizes(V=[0, 1, 9], N=[0, 1, 40]),
      data=dict(keys=lambda rng, shape, t: rng.integers(-1, 10, shape)))
def _(keys, V):
    return np.array([(keys == v).sum() for v in range(V)], np.int32)


@case('56_regions', 'swap_ends', '', 'y: f32[M, N] inout; z: f32[M, 4] out', sizes(M=[0, 1, 5], N=[1, 2, 3, 4, 33]))
def _(y, M, N):
    v, z = y.v.copy(), np.zeros((M, 4))
    part = v[:, max(N - 4, 0):]
    z[:, :part.shape[1]] = part
    v[:, 0], v[:, N - 1] = y.v[:, N - 1], y.v[:, 0]
    return dict(y=Number(v, 'f32'), z=Number(z, 'f32'))
