"""shape_ops.py -- operations that move elements: axes, pieces, order"""
import math
import numpy as np
import value as V
from node import UNKNOWN, Span, broadcast, dims_text, mask_of, op, size, sizes
from value import Value


def flipped(v, extent):
    if v is None or v == UNKNOWN:
        return v

    def at(env):
        lo, hi = v.at(env)
        return extent - hi, extent - lo
    return Span(f'flip {extent} {v.key}', at)


def whole(d):
    return not isinstance(d, int)


@op('permute')
class _:
    def kind(a, k): return a[0].t, tuple(a[0].shape[i] for i in k['order']), tuple(a[0].valid[i] for i in k['order'])

    def text(a, k, n):
        last = tuple(range(len(k['order']) - 2)) + (len(k['order']) - 1, len(k['order']) - 2)
        if tuple(k['order']) == last and k.get('word'):
            return f'{a[0]}.t' if k['word'] == 't' else f'transpose({a[0]})'
        return f'permute({a[0]}, {dims_text(k["order"])})'

    def value(env, a, k, n): return a[0].map(lambda v: np.transpose(v, k['order']))


@op('reshape')
class _:
    """The operand is data everywhere: the generator fills it."""
    def kind(a, k): return a[0].t, k['shape'], (None,) * len(k['shape'])
    def text(a, k, n): return f'reshape({a[0]}, {dims_text(k["shape"])})'
    def value(env, a, k, n): return a[0].map(lambda v: v.reshape(k['shape']))


@op('expand')
class _:
    def kind(a, k):
        at = k['axis']
        return a[0].t, a[0].shape[:at] + (1,) + a[0].shape[at:], a[0].valid[:at] + (None,) + a[0].valid[at:]

    def text(a, k, n): return f'expand({a[0]}, {k["axis"]})'
    def value(env, a, k, n): return a[0].map(lambda v: np.expand_dims(v, k['axis']))


@op('squeeze')
class _:
    """Of an axis that may be padding the others are mixed."""
    def kind(a, k):
        at = k['axis']
        rest = a[0].valid[:at] + a[0].valid[at + 1:]
        return a[0].t, a[0].shape[:at] + a[0].shape[at + 1:], rest if a[0].valid[at] is None else (UNKNOWN,) * len(rest)

    def text(a, k, n): return f'squeeze({a[0]}, {k["axis"]})'
    def value(env, a, k, n): return a[0].map(lambda v: np.squeeze(v, k['axis']))


@op('stretch')
class _:
    def kind(a, k):
        shape, off = k['shape'], len(k['shape']) - len(a[0].shape)
        valid = [None] * off + [None if d == 1 != shape[off + i] else v
                                for i, (d, v) in enumerate(zip(a[0].shape, a[0].valid))]
        return a[0].t, tuple(shape), tuple(valid)

    def text(a, k, n): return f'broadcast_to({a[0]}, {dims_text(k["shape"])})'
    def value(env, a, k, n): return a[0].map(lambda v: np.broadcast_to(v, sizes(k['shape'], env)))


@op('flip')
class _:
    def kind(a, k):
        x = a[0]
        valid = [flipped(v, x.shape[i]) if i in k['axes'] and not whole(x.shape[i]) else v for i, v in enumerate(x.valid)]
        return x.t, x.shape, tuple(valid)

    def text(a, k, n):
        axes = str(k['axes'][0]) if len(k['axes']) == 1 else dims_text(k['axes'])
        return f'flip({a[0]}, {axes})'

    def value(env, a, k, n): return a[0].map(lambda v: np.flip(v, k['axes']))


@op('cat')
class _:
    def kind(a, k):
        x, y, axis = a[0], a[1], k['axis']
        shape = list(x.shape)
        shape[axis] += y.shape[axis]
        valid = []
        for i, (p, q) in enumerate(zip(x.valid, y.valid)):
            same = p is q or p not in (None, UNKNOWN) and q not in (None, UNKNOWN) and p.key == q.key
            if i == axis:
                valid.append(None if p is None and q is None else UNKNOWN)
            else:
                valid.append(p if same or q is None else q if p is None else UNKNOWN)
        return x.t, tuple(shape), tuple(valid)

    def text(a, k, n): return f'cat({a[0]}, {a[1]}, {k["axis"]})'

    def value(env, a, k, n):
        join = lambda p, q: np.concatenate([p, q], k['axis'])
        return Value(join(a[0].v, a[1].v), n.t, None if V.known(*a) else join(a[0].err(), a[1].err()))


@op('extract')
class _:
    """Piece `at` of a tile; an index known at translation lies inside, one that is a node anywhere."""
    def kind(a, k):
        x = a[0]
        valid = []
        for i, (d, e) in enumerate(zip(x.shape, k['piece'])):
            here = k['at'][i]
            if here is None:
                valid.append(UNKNOWN)
            else:
                valid.append(None if x.valid[i] is None and (here + 1) * e <= d else UNKNOWN)
        return x.t, tuple(k['piece']), tuple(valid)

    def text(a, k, n):
        rest = list(a[1:])
        at = [str(p) if p is not None else rest.pop(0) for p in k['at']]
        return f'extract({a[0]}, {dims_text(at)}, {dims_text(k["piece"])})'

    def value(env, a, k, n):
        x, rest = a[0], list(a[1:])
        shape = x.shape
        coords = []
        for i, (p, e) in enumerate(zip(k['at'], k['piece'])):
            e = size(e, env)
            p = p if p is not None else rest.pop(0).scalar()
            coords.append((p * e + np.arange(e)).reshape([-1 if b == i else 1 for b in range(len(shape))]))
        inside = np.ones((1,) * len(shape), bool)
        for c, d in zip(coords, shape):
            inside = inside & (c >= 0) & (c < d)
        index = tuple(np.clip(c, 0, d - 1) for c, d in zip(coords, shape))
        got = x.map(lambda v: v[index])
        return V.select(Value(np.broadcast_to(inside, got.shape), 'bool'), got, V.of(0, n.t))


# ---- order -----------------------------------------------------------------------------------------


def sort_key(v):
    """Integers in the order of the elements: -0 below +0, NaN last."""
    if v.dtype.kind != 'f':
        return v
    raw = np.where(np.isnan(v), np.nan, v).view(np.int64)
    key = np.where(raw < 0, np.int64(-2**63) - raw - 1, raw)
    return np.where(np.isnan(v), np.int64(2**63 - 1), key)


def along(x, axis, env, n):
    """The elements with their axis last, and lo, hi of it."""
    span = n.args[0].valid[axis]
    length = x.shape[axis]
    lo, hi = (0, length) if span is None else span.at(env)
    return np.moveaxis(x.v, axis, -1), np.moveaxis(x.err(), axis, -1), lo, max(hi, lo)


@op('sort')
class _:
    def kind(a, k):
        x, axis = a[0], k['axis']
        v = x.valid[axis]
        if v is not None:
            v = shifted(v, x.shape[axis], x.shape[axis])
        return x.t, x.shape, x.valid[:axis] + (v,) + x.valid[axis + 1:]

    def text(a, k, n):
        return f'sort({a[0]}' + (f', axis = {k["axis"]})' if k.get('say', True) else ')')

    def value(env, a, k, n):
        v, e, lo, hi = along(a[0], k['axis'], env, n)
        part, wrong = v[..., lo:hi], e[..., lo:hi]
        order = np.argsort(sort_key(part), axis=-1, kind='stable')
        out, err = np.zeros_like(v), np.zeros(v.shape)
        out[..., :hi - lo] = np.take_along_axis(part, order, -1)
        if hi > lo:
            worst = wrong.max(-1, keepdims=True)
            err[..., :hi - lo] = np.where(np.isnan(part).any(-1, keepdims=True) & (worst > 0), np.inf, worst)
        back = lambda z: np.moveaxis(z, -1, k['axis'])
        return Value(back(out), n.t, back(err))


def shifted(v, extent, k):
    """[0, min(hi - lo, k))."""
    if v == UNKNOWN:
        return v

    def at(env):
        lo, hi = v.at(env)
        return 0, min(max(hi - lo, 0), k)
    return Span(f'first {extent} {k} {v.key}', at)


@op('topk')
class _:
    """One of the two results of topk: k['what'] is 0 (values) or 1 (places); a statement names both."""
    def kind(a, k):
        x, axis, n = a[0], k['axis'], k['k']
        v = x.valid[axis]
        v = None if v is None else shifted(v, x.shape[axis], n)
        t = x.t if k['what'] == 0 else 'i32'
        return t, x.shape[:axis] + (n,) + x.shape[axis + 1:], x.valid[:axis] + (v,) + x.valid[axis + 1:]

    def text(a, k, n): return f'topk({a[0]}, {k["k"]}, axis = {k["axis"]})'

    def value(env, a, k, n):
        v, e, lo, hi = along(a[0], k['axis'], env, n)
        part, count = v[..., lo:hi], min(hi - lo, k['k'])
        key = sort_key(part)
        order = (hi - lo - 1 - np.argsort(key[..., ::-1], axis=-1, kind='stable'))[..., ::-1][..., :count]
        worst = e[..., lo:hi].max(-1, keepdims=True, initial=0)
        out = np.zeros(v.shape[:-1] + (k['k'],), v.dtype if k['what'] == 0 else np.int32)
        err = np.zeros(out.shape)
        out[..., :count] = np.take_along_axis(part, order, -1) if k['what'] == 0 else order + lo
        nan = np.isnan(part).any(-1, keepdims=True) if part.dtype.kind == 'f' else False
        err[..., :count] = np.where((worst > 0) & (nan | (k['what'] == 1)), np.inf, worst)
        back = lambda z: np.moveaxis(z, -1, k['axis'])
        return Value(back(out), n.t, back(err))


@op('histogram')
class _:
    def kind(a, k): return 'i32', (k['bins'],), (None,)
    def text(a, k, n): return f'histogram({a[0]}, {k["bins"]})'

    def value(env, a, k, n):
        mask = np.broadcast_to(mask_of(n.args[0], env), a[0].shape)
        got = [int(((a[0].v == b) & mask).sum()) if b <= np.iinfo(a[0].v.dtype).max else 0 for b in range(k['bins'])]
        return Value(np.array(got), 'i32', None if a[0].e is None else np.full(k['bins'], np.inf))


# ---- contraction -----------------------------------------------------------------------------------


@op('mma')
class _:
    def kind(a, k):
        x, y = a[0], a[1]
        t = k['t']
        lead = broadcast(x.shape[:-2], y.shape[:-2])
        shape = lead + (x.shape[-2], y.shape[-1])
        valid = []
        for i in range(len(shape)):
            parts = []
            if i == len(shape) - 2:
                parts.append(x.valid[-2])
            elif i == len(shape) - 1:
                parts.append(y.valid[-1])
            else:
                for z in (x, y):
                    j = i - len(shape) + len(z.shape)
                    if j >= 0 and not (z.shape[j] == 1 != shape[i]):
                        parts.append(z.valid[j])
            if len(a) > 2:
                j = i - len(shape) + len(a[2].shape)
                if j >= 0 and not (a[2].shape[j] == 1 != shape[i]):
                    parts.append(a[2].valid[j])
            real = [p for p in parts if p is not None]
            same = real and all(p != UNKNOWN and real[0] != UNKNOWN and p.key == real[0].key for p in real)
            valid.append(None if not real else real[0] if same else UNKNOWN)
        return t, shape, tuple(valid)

    def text(a, k, n): return f'mma({", ".join(a)})'

    def value(env, a, k, n):
        x, y = a[0], a[1]
        mx = mask_of(n.args[0], env, {len(x.shape) - 1})
        my = mask_of(n.args[1], env, {len(y.shape) - 2})
        depth = np.swapaxes(mx, -1, -2) & my if mx.ndim >= 2 else my
        depth = np.broadcast_to(depth, depth.shape[:-2] + (y.shape[-2], depth.shape[-1]))[..., :, :1]
        line = depth.reshape(-1)[:y.shape[-2]] if depth.size else depth
        keep = np.flatnonzero(line)
        p, q, ep, eq = x.v[..., keep], y.v[..., keep, :], x.err()[..., keep], y.err()[..., keep, :]
        if V.is_int(x.t):
            v = np.matmul(p.astype(np.int32), q.astype(np.int32))
            v = v + a[2].v if len(a) > 2 else v
            bad = (ep.max(initial=0) + eq.max(initial=0) + (a[2].err().max() if len(a) > 2 else 0)) * np.ones(v.shape)
            return Value(v.astype(np.int32), 'i32', bad)
        v = np.matmul(p, q)
        big = np.matmul(np.abs(p), np.abs(q))
        e = np.matmul(ep, np.abs(q)) + np.matmul(np.abs(p) + ep, eq)
        if len(a) > 2:
            v, big, e = v + a[2].v, big + np.abs(a[2].v), e + a[2].err()
        return settle(v, big, e, n.t, max(len(keep), 1), 2.0**-13 if x.t[:2] == 'f8' else None)


def settle(v, big, e, t, count, eps=None):
    """A sum whose order is free: exact where all of its terms are multiples of one power of two that is
    not too small, else within the bound."""
    wide = 'f32' if t in ('f16', 'bf16') else t
    exact = (big < 2.0**({'f32': 23, 'f64': 52}[wide] if eps is None else 12)) & (v * 8 == np.trunc(v * 8)) & (
        big * 8 == np.trunc(big * 8)) & (big * 8 < 2.0**({'f32': 24, 'f64': 53}[wide] if eps is None else 13))
    bound = (8 + 2 * math.sqrt(count)) * (eps or V.EPS[wide]) * big * 1.01 + V.TINY[wide]
    e = np.where(exact & (e == 0), 0, e * 1.01 + bound)
    special = ~np.isfinite(v) | (big >= V.MOST[wide] * 0.5)
    e = np.where(special, np.where(np.isnan(v) | np.isinf(v), 0, np.inf), e)
    return V.rounded(t, v, e) if t in ('f16', 'bf16') else Value(np.where(e == 0, V.round_to(t, v), v), t, e)


# ---- chance ----------------------------------------------------------------------------------------


def philox(seed, index):
    """The first word of Philox 4x32-10 (Salmon et al. 2011), over arrays of u64."""
    low = np.uint64(0xFFFFFFFF)
    s32 = np.uint64(32)
    c = [index & low, index >> s32, np.zeros_like(index), np.zeros_like(index)]
    k0, k1 = np.uint64(seed) & low, np.uint64(seed) >> s32
    for _ in range(10):
        p0, p1 = np.uint64(0xD2511F53) * c[0], np.uint64(0xCD9E8D57) * c[2]
        c = [(p1 >> s32) ^ c[1] ^ k0, p1 & low, (p0 >> s32) ^ c[3] ^ k1, p0 & low]
        k0, k1 = (k0 + np.uint64(0x9E3779B9)) & low, (k1 + np.uint64(0xBB67AE85)) & low
    return c[0].astype(np.uint32)


@op('random')
class _:
    def kind(a, k): return 'u32', a[0].shape, (None,) * len(a[0].shape)
    def text(a, k, n): return f'random({k["seed"]}, {a[0]})'
    def value(env, a, k, n): return Value(philox(k['seed'], a[0].v), 'u32', V.unsure(a[0]))
