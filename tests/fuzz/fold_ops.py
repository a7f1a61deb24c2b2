"""fold_ops.py -- reductions and scans: those that the language names, and those by a lambda"""
import math
import numpy as np
import value as V
from node import literal_text, mask_of, op, spend
from shape_ops import settle
from value import Value


def axes_text(k):
    if k['axes'] is None:
        return ''
    one = k['axes'][0] if len(k['axes']) == 1 else list(k['axes'])
    return f', axis = {one}'


def reduced(n, k):
    """The shape and valid part of a reduction."""
    axes = set(range(len(n.shape))) if k['axes'] is None else {a % len(n.shape) for a in k['axes']}
    keep = k.get('keepdims')
    shape = tuple(1 if a in axes else d for a, d in enumerate(n.shape) if keep or a not in axes)
    valid = tuple(None if a in axes else v for a, v in enumerate(n.valid) if keep or a not in axes)
    return shape, valid


def gathered(n, a, k, env):
    """The consumed axes of a tile flattened into a last one, cut to what is valid; and its mask."""
    rank = len(n.shape)
    axes = sorted(range(rank) if k['axes'] is None else {x % rank for x in k['axes']})
    rest = [x for x in range(rank) if x not in axes]
    mask = np.broadcast_to(mask_of(n, env, set(axes)), a.shape)
    move = lambda z: np.transpose(z, rest + axes).reshape([a.shape[x] for x in rest] + [math.prod(a.shape[x] for x in axes)])
    return move, move(mask), (lambda z: z.reshape([1 if x in axes else a.shape[x] for x in range(rank)])
                              if k.get('keepdims') else z)


NAMED_TYPES = {'sum': None, 'prod': None, 'mean': None, 'max': None, 'min': None, 'argmax': 'i32', 'argmin': 'i32',
               'any': 'bool', 'all': 'bool'}


def summed_type(t):
    if t == 'bool':
        return 'i32'
    if V.is_int(t) and V.bits(t) < 32:
        return 'i32' if t[0] == 'i' else 'u32'
    return t


def product(v, e, t):
    """Exact while the product of all is short; else within an eps a factor."""
    wide = 'f32' if t in ('f16', 'bf16') else t
    p = np.prod(v, axis=-1)
    size = np.prod(np.maximum(np.abs(v), 1), axis=-1)
    odd = np.where((v != 0) & np.isfinite(v), np.abs(v), 1)
    exact = (size < 2.0**23) & (np.prod(np.minimum(odd, 1), axis=-1) > 2.0**-10) & np.all(v * 4 == np.trunc(v * 4), -1) \
        & (np.prod(np.where(v == np.trunc(v), odd, 4 * odd), axis=-1) < 2.0**22)
    err = np.abs(p) * v.shape[-1] * V.EPS[wide] * 1.1 + V.TINY[wide]
    rough = (np.prod(np.maximum(odd, 1), -1) > 1e30) | (np.prod(np.minimum(odd, 1), -1) < 1e-30) | np.any(e > 0, -1)
    err = np.where(exact & ~np.any(e > 0, -1), 0, np.where(rough, np.inf, err))
    special = ~np.isfinite(p) & ~np.any(np.isfinite(v) & (np.abs(v) > 1e9), -1) & ~np.any(e > 0, -1)
    err = np.where(special & (size == np.inf) & np.any(~np.isfinite(v), -1), np.where(rough, np.inf, 0), err)
    return V.rounded(t, p, err)


def first_of(v, name):
    """argmax, argmin: the first of equals, NaN before all."""
    if v.shape[-1] == 0:
        return np.zeros(v.shape[:-1], np.int32)
    nan = np.isnan(v) if v.dtype.kind == 'f' else np.zeros(v.shape, bool)
    best = np.argmax(np.where(nan, -np.inf, v), -1) if name == 'argmax' else np.argmin(np.where(nan, np.inf, v), -1)
    if v.dtype.kind != 'f':
        best = np.argmax(v, -1) if name == 'argmax' else np.argmin(v, -1)
    return np.where(nan.any(-1), np.argmax(nan, -1), best).astype(np.int32)


def extreme(v, e, t, name):
    """max, min, and their identities of nothing."""
    if V.is_float(t):
        none = -np.inf if name == 'max' else np.inf
        out = (np.max if name == 'max' else np.min)(v, axis=-1, initial=none)
        zero = (v == 0) & (np.signbit(v) == (name == 'min'))
        out = np.where((out == 0) & zero.any(-1), -0.0 if name == 'min' else 0.0, out)
        worst = np.max(e, axis=-1, initial=0)
        return Value(out, t, np.where(np.isnan(out) & (worst > 0), np.inf, worst))
    info = np.iinfo(v.dtype)
    none = info.min if name == 'max' else info.max
    return Value((np.max if name == 'max' else np.min)(v, axis=-1, initial=none), t, np.max(e, axis=-1, initial=0))


def named(name, v, e, t, out):
    """A reduction over the last axis, all of it valid."""
    if name in ('max', 'min'):
        return extreme(v, e, t, name)
    bad = np.where(np.any(e > 0, -1), np.inf, 0)
    if name in ('argmax', 'argmin'):
        return Value(first_of(v, name), 'i32', bad)
    if name in ('any', 'all'):
        return Value((np.any if name == 'any' else np.all)(v, axis=-1), 'bool', bad)
    if not V.is_float(t):
        f = np.sum if name == 'sum' else np.prod
        return Value(f(v.astype(V.RAW[out]), axis=-1, dtype=V.RAW[out]), out, bad)
    if name == 'prod':
        return product(v, e, t)
    s = settle(np.sum(v, -1), np.sum(np.abs(v), -1), np.sum(e, -1), 'f32' if t in ('f16', 'bf16') else t,
               max(v.shape[-1], 1))
    if name == 'sum':
        return V.rounded(t, s.v, s.e) if t in ('f16', 'bf16') else s
    mean = V.float_binary('div', s, V.of(v.shape[-1], s.t), s.t)
    if t in ('f16', 'bf16'):
        return V.rounded(t, mean.v, mean.err() + np.where(mean.v == np.trunc(mean.v), 0, np.abs(mean.v) * V.EPS[t]))
    return mean


@op('reduce')
class _:
    """k: f, axes (None: all), keepdims."""
    def kind(a, k):
        shape, valid = reduced(a[0], k)
        t = NAMED_TYPES[k['f']] or (summed_type(a[0].t) if k['f'] in ('sum', 'prod') else a[0].t)
        return t, shape, valid

    def text(a, k, n):
        return f'{k["f"]}({a[0]}{axes_text(k)}{", keepdims = true" if k.get("keepdims") else ""})'

    def value(env, a, k, n):
        move, mask, back = gathered(n.args[0], a[0], k, env)
        v, e = move(a[0].v), move(a[0].err())
        if k['f'] in ('argmax', 'argmin'):
            return place(k, v, e, mask, back)
        line = mask.reshape(-1, mask.shape[-1])[0] if mask.size else np.zeros(mask.shape[-1], bool)
        return named(k['f'], v[..., line], e[..., line], a[0].t, n.t).map(back)


def place(k, v, e, mask, back):
    """argmax and argmin count from the begin of the tile, padding included; 0 of nothing."""
    line = np.flatnonzero(mask.reshape(-1, mask.shape[-1])[0]) if mask.size else np.zeros(0, int)
    if not line.size:
        return Value(np.zeros(v.shape[:-1], np.int32), 'i32').map(back)
    got = named(k['f'], v[..., line], e[..., line], None, 'i32')
    return Value(line[got.v].astype(np.int32), 'i32', got.e).map(back)


# ---- by a function ---------------------------------------------------------------------------------

# name -> (types, identity of type t, text, meaning on Values)
LAMBDAS = {
    'add': (V.INTS, lambda t: 0, '|a, b| a + b', lambda a, b: V.binary('add', a, b)),
    'mul': (V.INTS, lambda t: 1, '|a, b| a * b', lambda a, b: V.binary('mul', a, b)),
    'xor': (V.INTS, lambda t: 0, '|a, b| a ^ b', lambda a, b: V.binary('xor', a, b)),
    'or': (V.INTS, lambda t: 0, '|a, b| a | b', lambda a, b: V.binary('or', a, b)),
    'and': (V.INTS, lambda t: -1 if t[0] == 'i' else 2**V.bits(t) - 1, '|a, b| a & b', lambda a, b: V.binary('and', a, b)),
    'max': (V.INTS + V.ARITH, lambda t: lowest(t), '|a, b| max(a, b)', lambda a, b: V.pick('max', a, b)),
    'min': (V.INTS + V.ARITH, lambda t: highest(t), '|a, b| min(a, b)', lambda a, b: V.pick('min', a, b)),
    'first': (V.INTS, lambda t: 0, '|a, b| a != 0 ? a : b', lambda a, b: Value(np.where(a.v != 0, a.v, b.v), a.t, V.unsure(a, b))),
    'last': (V.INTS, lambda t: 0, '|a, b| b == 0 ? a : b', lambda a, b: Value(np.where(b.v == 0, a.v, b.v), a.t, V.unsure(a, b))),
}


def lowest(t):
    return -np.inf if V.is_float(t) else int(np.iinfo(V.RAW[t]).min)


def highest(t):
    return np.inf if V.is_float(t) else int(np.iinfo(V.RAW[t]).max)


def init_text(k, t):
    return literal_text(LAMBDAS[k['f']][1](t), t)


def steps(k, move_v, move_e, t, line, reverse):
    """The running values over the valid elements, in order: a list of Values."""
    f, init = LAMBDAS[k['f']][3], V.of(LAMBDAS[k['f']][1](t), t)
    acc = Value(np.broadcast_to(init.v, move_v.shape[:-1]), t)
    spend(len(line) // 2)
    out = [acc]
    for i in line[::-1] if reverse else line:
        acc = f(acc, Value(move_v[..., i], t, move_e[..., i]))
        out.append(acc)
    return out


@op('fold')
class _:
    """reduce with a lambda; k: f, axes, keepdims."""
    def kind(a, k):
        shape, valid = reduced(a[0], k)
        return a[0].t, shape, valid

    def text(a, k, n):
        keep = ', keepdims = true' if k.get('keepdims') else ''
        return f'reduce({a[0]}{axes_text(k)}{keep}, init = {init_text(k, n.t)}, {LAMBDAS[k["f"]][2]})'

    def value(env, a, k, n):
        move, mask, back = gathered(n.args[0], a[0], k, env)
        line = np.flatnonzero(mask.reshape(-1, mask.shape[-1])[0]) if mask.size else []
        return steps(k, move(a[0].v), move(a[0].err()), n.t, line, False)[-1].map(back)


@op('scan')
class _:
    """cumsum, cumprod and scan with a lambda, of integers (and max, min of floats); k: f, axis, reverse, word."""
    def kind(a, k):
        t = summed_type(a[0].t) if k.get('word') else a[0].t
        return t, a[0].shape, a[0].valid

    def text(a, k, n):
        back = ', reverse = true' if k['reverse'] else ''
        if k.get('word'):
            return f'{k["word"]}({a[0]}, axis = {k["axis"]}{back})'
        return f'scan({a[0]}, axis = {k["axis"]}, init = {init_text(k, n.t)}, {LAMBDAS[k["f"]][2]}{back})'

    def value(env, a, k, n):
        x = V.cast(a[0], n.t)
        axis = k['axis'] % len(x.shape)
        v, e = np.moveaxis(x.v, axis, -1), np.moveaxis(x.err(), axis, -1)
        span = n.args[0].valid[axis]
        lo, hi = (0, v.shape[-1]) if span is None else span.at(env)
        hi = max(lo, hi)
        run = steps(k, v, e, n.t, list(range(lo, hi)), k['reverse'])
        out, err = np.empty_like(v), np.zeros(v.shape)
        for i in range(v.shape[-1]):
            done = min(max(hi - i, 0), hi - lo) if k['reverse'] else min(max(i + 1 - lo, 0), max(hi - lo, 0))
            out[..., i], err[..., i] = run[done].v, run[done].err()
        back = lambda z: np.moveaxis(z, -1, axis)
        return Value(back(out), n.t, back(err))
