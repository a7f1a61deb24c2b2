"""cases_attention.py -- attention: of many queries, of one, with keys in pages"""
import numpy as np
from cases_gather import pick
from cases_mma import product
from number import Number, cast, exp, highest, log, tanh, total, where
from table import case, sizes


def softmax_times(s, keep, v, T):
    """Softmax of the kept scores, times v; the log of its sum."""
    s = where(keep, s, Number(np.full(s.shape, -np.inf), 'f32'))
    top = highest(s, 1, keepdims=True)
    base = where(top.v == -np.inf, Number(np.zeros(top.shape), 'f32'), top)
    p = exp(s - base)
    p = Number(p.v, 'f32', p.e + np.abs(p.v) * 2.0**-20)     # the running maximum costs roundings
    l = total(p, 1, keepdims=True)
    o = product(cast(p, T), v) / where(l.v == 0, Number(np.ones(l.shape), 'f32'), l)
    half = {'f16': 2.0**-10, 'bf16': 2.0**-7, 'f32': 0.0}[T]                  # p is rounded to T
    o = Number(o.v, 'f32', o.e + half * (np.abs(p.v) @ np.abs(v.v)) / np.maximum(l.v, 1e-30))
    lse = top + log(l)
    return cast(o, T), Number(lse.v, 'f32', np.where(np.isfinite(lse.v), lse.e + 1e-4, 0))


def each_head(B, H, f):
    """f(b, h) -> Numbers, for all heads: stacked."""
    all = [[f(b, h) for h in range(H)] for b in range(B)]
    stack = lambda i, part: np.array([[getattr(x[i], part) for x in row] for row in all])
    return [Number(stack(i, 'v'), all[0][0][i].t, stack(i, 'e')) for i in range(2)]


ATTENTION = [dict(B=1, H=2, KH=1, M=m, N=n, D=d, CAUSAL=c, window=w, softcap=s, scale=0.3)
             for d in (64, 128)
             for m, n, c, w, s in ((1, 1, 0, 0, 0.0), (70, 70, 1, 0, 0.0), (64, 130, 1, 0, 2.0), (3, 65, 0, 0, 0.0),
                                   (65, 100, 1, 20, 0.0), (2, 0, 0, 0, 0.0), (2, 0, 1, 0, 0.0))]


@case('14_attention', 'attention', 'T: f16 bf16',
      'o: T[B, H, M, D] out; lse: f32[B, H, M] out opt; q: T[B, H, M, D]; k: T[B, KH, N, D]; v: T[B, KH, N, D]; '
      'scale: f32; window: i64; softcap: f32', ATTENTION)
def _(q, k, v, scale, window, softcap, CAUSAL, T):
    (B, H, M, D), (KH, N) = q.shape, k.shape[1:3]
    row, col = np.arange(M)[:, None] + N - M, np.arange(N)[None, :]
    keep = ((col <= row) | (not CAUSAL)) & ((col > row - window) | (window <= 0))

    def head(b, h):
        s = product(q[b, h], Number(k.v[b, h // (H // KH)].T, k.t)) * scale
        if softcap.v > 0:
            s = softcap * tanh(s / softcap)
        o, lse = softmax_times(s, keep, v[b, h // (H // KH)], T)
        return o, lse[:, 0]
    o, lse = each_head(B, H, head)
    return dict(o=o, lse=lse)


@case('examples/10_attention', 'attention', '',
      'o: f32[B, H, M, D] out; q: f32[B, H, M, D]; k: f32[B, H, M, D]; v: f32[B, H, M, D]; scale: f32',
      [dict(B=b, H=h, M=m, D=64, scale=0.3) for b, h, m in ((1, 1, 1), (1, 2, 31), (2, 1, 32), (1, 1, 33),
                                                            (0, 1, 5), (1, 1, 0), (1, 1, 64), (2, 2, 97), (1, 1, 130))])
def _(q, k, v, scale):
    B, H, M = q.shape[:3]
    keep = np.arange(M)[None, :] <= np.arange(M)[:, None]
    o = [softmax_times(product(q[b, h], Number(k.v[b, h].T, 'f32')) * scale, keep, v[b, h], 'f32')[0]
         for b in range(B) for h in range(H)]
    stack = lambda part: np.array([getattr(x, part) for x in o]).reshape(q.shape)
    return Number(stack('v'), 'f32', stack('e'))


@case('15_decode', 'decode', '', 'op: f32[B, H, S, D] out; lse: f32[B, H, S] out; q: bf16[B, H, D]; '
      'k: bf16[B, KH, N, D]; v: bf16[B, KH, N, D]; scale: f32',
      [dict(B=1, KH=kh, G=g, H=kh * g, S=s, N=n, D=d, scale=0.2)
       for d in (64, 128) for g, kh in ((1, 2), (4, 1), (8, 1)) for s, n in ((1, 1), (2, 65), (3, 64), (1, 150))])
def _(q, k, v, scale, S, G):
    (B, H, D), N = q.shape, k.shape[2]
    each = -(-(-(-N // 64)) // S) * 64
    op, lse, eop, else_ = (np.zeros((B, H, S) + t) for t in ((D,), (), (D,), ()))
    for b in range(B):
        for h in range(H):
            for r in range(S):
                keys = k[b, h // G, r * each:(r + 1) * each]
                vals = v[b, h // G, r * each:(r + 1) * each]
                s = product(q[b, h].reshape(1, D), Number(keys.v.T, 'bf16')) * scale
                o, l = softmax_times(s, np.full(s.shape, True), vals, 'bf16')
                op[b, h, r], eop[b, h, r] = o.v[0], o.e[0] + np.abs(o.v[0]) * 2.0**-7
                lse[b, h, r], else_[b, h, r] = l.v[0, 0], l.e[0, 0]
    return dict(op=Number(op, 'f32', eop), lse=Number(lse, 'f32', else_))


def some_empty(rng, shape, t):
    """Logarithms of sums, of which some runs, but not the first, have none."""
    v = rng.normal(size=shape) * 3
    return np.where((rng.random(shape) < 0.3) & (np.arange(shape[-1]) > 0), -np.inf, v)


@case('15_decode', 'decode_merge', '', 'o: bf16[B, H, D] out; op: f32[B, H, S, D]; lse: f32[B, H, S]',
      lambda edges: sizes(B=[0, 2], H=[3], S=[0, 1, 5], D=[64, 128])
      + sizes(B=[1], H=[1], S=[e + d for e in edges for d in (0, 1)], D=[64, 128]), data=dict(lse=some_empty))
def _(op, lse):
    e = exp(lse - highest(lse, 2, keepdims=True))
    w = e / total(e, 2, keepdims=True)
    return cast(total(w.reshape(w.shape + (1,)) * op, 2), 'bf16')


# ---- pages --------------------------------------------------------------------------------------


def lengths(rng, shape, t):
    """None, one token, some, and more than a table of three pages of 16 has place for."""
    return np.array([37, 0, 50, 1, -2])[:shape[0]]


@case('16_paged', 'paged', '', 'o: bf16[B, H, D] out; q: bf16[B, H, D]; k: bf16[P, PS, KH, D]; v: bf16[P, PS, KH, D]; '
      'table: i32[B, MP]; lens: i32[B]; scale: f32',
      [dict(B=b, KH=kh, G=g, H=kh * g, P=p, PS=ps, MP=mp, D=d, scale=0.2)
       for b, g, kh, p, mp, ps, d in ((1, 1, 2, 5, 3, 16, 64), (2, 4, 1, 5, 5, 16, 64), (5, 8, 1, 4, 3, 16, 64),
                                      (3, 1, 1, 5, 3, 64, 64), (1, 4, 1, 2, 1, 16, 128), (1, 8, 1, 0, 1, 64, 64),
                                      (1, 1, 1, 3, 2, 64, 128), (0, 1, 1, 1, 1, 16, 64))],
      data=dict(table=lambda rng, shape, t: rng.integers(-1, 6, shape), lens=lengths))
def _(q, k, v, table, lens, scale, KH, PS):
    (B, H, D), MP = q.shape, table.shape[1]
    o, e = np.zeros(q.shape), np.zeros(q.shape)
    for b in range(B):
        at = np.arange(min(max(lens[b], 0), MP * PS))
        page, slot = table[b][at // PS][:, None], (at % PS)[:, None]
        for h in range(H):
            g = h // (H // KH)
            keys, values = (pick(x, page, slot, g, np.arange(D)) for x in (k, v))
            s = product(q[b, h].reshape(1, D), Number(keys.v.T, 'bf16')) * scale
            r, _ = softmax_times(s, np.full(s.shape, True), values, 'bf16')
            o[b, h], e[b, h] = r.v[0], r.e[0]
    return Number(o, 'bf16', e)
