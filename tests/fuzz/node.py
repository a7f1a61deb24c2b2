"""node.py -- expressions: what they are made of, their text, their type, their shape, and what of them is valid

A Node has an operation, operands, settings k, and from them a type t, a shape (ints, or the name of an extent for a
whole axis) and for each axis its valid part: None (all is data), a Span, or UNKNOWN where tilec's rules may say mixed.
An operation is a class with three functions: kind (the type, shape and valid part), text, and value, what it means.
"""
import numpy as np
import value as V
from value import Value

UNKNOWN = 'unknown'
OPS = {}


def op(name):
    def register(cls):
        OPS[name] = cls
        return cls
    return register


class Node:
    __slots__ = ('op', 'args', 'k', 't', 'shape', 'valid')

    def __init__(self, op, args, k):
        self.op, self.args, self.k = op, tuple(args), k
        self.t, self.shape, self.valid = OPS[op].kind(self.args, k)
        assert len(self.shape) == len(self.valid), op

    def again(self, args):
        """The same of other operands."""
        return Node(self.op, args, self.k)


def make(op, *args, **k):
    return Node(op, args, k)


def text(n):
    return OPS[n.op].text([text(a) for a in n.args], n.k, n)


class TooLong(Exception):
    """A launch that takes too many steps to be told; it is not made."""


LEFT = [0]                    # steps that the launch that is told may still take


def spend(steps):
    LEFT[0] -= steps
    if LEFT[0] < 0:
        raise TooLong


def value(n, env):
    """What the node is worth in one program; names are in env."""
    spend(1)
    rule = OPS[n.op]
    if hasattr(rule, 'lazy'):
        return rule.lazy(env, n)
    return rule.value(env, [value(a, env) for a in n.args], n.k, n)


class Span:
    """A valid part that is an interval: two of one key are equal, at(env) are its bounds."""

    def __init__(self, key, at):
        self.key, self.at = key, at


def load_span(start, size, size_text, extent, step=1):
    """Of a load that begins at a node's value; size(env) is how much there is."""
    def at(env):
        s, n = int(value(start, env).v), size(env)
        clamp = lambda x: min(max(-(-x // step), 0), extent)
        return clamp(-s), clamp(n - s)
    return Span(f'{text(start)}|{size_text}|{extent}|{step}', at)


def combine(shape, nodes):
    """The valid part of an elementwise result (R5.22, R5.23)."""
    out = [None] * len(shape)
    for n in nodes:
        off = len(shape) - len(n.shape)
        for a, v in enumerate(n.valid):
            if v is None or n.shape[a] == 1 and shape[off + a] != 1:
                continue
            have = out[off + a]
            if have is None:
                out[off + a] = v
            elif v == UNKNOWN or have == UNKNOWN or v.key != have.key:
                out[off + a] = UNKNOWN
    return tuple(out)


def broadcast(*shapes):
    """The shape of an elementwise result; None if they do not fit."""
    out = []
    for a in range(max(map(len, shapes))):
        here = {s[-1 - a] for s in shapes if len(s) > a} - {1}
        if len(here) > 1:
            return None
        out.insert(0, here.pop() if here else 1)
    return tuple(out)


def elementwise(t, nodes):
    shape = broadcast(*(n.shape for n in nodes))
    assert shape is not None
    return t, shape, combine(shape, nodes)


def size(dim, env):
    return dim if isinstance(dim, int) else env.extents[dim]


def sizes(shape, env):
    return tuple(size(d, env) for d in shape)


def dims_text(shape):
    return '[' + ', '.join(map(str, shape)) + ']'


def mask_of(n, env, axes=None):
    """Where a tile is valid, as a bool array that broadcasts to its shape."""
    full = sizes(n.shape, env)
    mask = np.ones((1,) * len(full), bool)
    for a, v in enumerate(n.valid):
        if v is None or axes is not None and a not in axes:
            continue
        if v == UNKNOWN:
            raise Lost
        lo, hi = v.at(env)
        at = np.arange(full[a])
        line = (at >= lo) & (at < hi)
        mask = mask & line.reshape([-1 if b == a else 1 for b in range(len(full))])
    return mask


class Lost(Exception):
    """Something unknown was asked for its valid part: the generator does not do that."""


# ---- leaves ----------------------------------------------------------------------------------------


def literal_text(v, t):
    if t == 'bool':
        return 'true' if v else 'false'
    if V.is_int(t):
        return str(int(v))
    v = float(v)
    if v != v:
        return 'nan'
    if v in (float('inf'), float('-inf')):
        return 'inf' if v > 0 else '-inf'
    s = repr(v)
    return s if '.' in s or 'e' in s else s + '.0'


@op('lit')
class _:
    """A literal; bare: it takes its type from where it stands."""
    def kind(a, k): return k['t'], (), ()

    def text(a, k, n):
        s = literal_text(k['v'], k['t'])
        if k.get('bare') or k['t'] == 'bool':
            return f'({s})' if s[0] == '-' else s
        return f'({s} as {k["t"]})'

    def value(env, a, k, n): return V.of(k['v'], k['t'])


@op('name')
class _:
    """A variable, an index or a scalar parameter."""
    def kind(a, k): return k['t'], k['shape'], k['valid']
    def text(a, k, n): return k['name']
    def value(env, a, k, n): return env.names[k['name']]


@op('extent')
class _:
    """An extent of a tensor."""
    def kind(a, k): return 'i64', (), ()
    def text(a, k, n): return k['name']
    def value(env, a, k, n): return Value(env.extents[k['name']], 'i64')


@op('full')
class _:
    def kind(a, k): return k['t'], k['shape'], (None,) * len(k['shape'])

    def text(a, k, n):
        word = {0: 'zeros', 1: 'ones'}.get(k['v']) if k['t'] != 'bool' and str(k['v']) != '-0.0' else None
        if word and k.get('word', True):
            return f'{word}({dims_text(k["shape"])}, {k["t"]})'
        return f'full({dims_text(k["shape"])}, {literal_text(k["v"], k["t"])}, {k["t"]})'

    def value(env, a, k, n):
        one = V.of(k['v'], k['t'])
        return one.map(lambda v: np.broadcast_to(v, sizes(k['shape'], env)))


@op('fullof')
class _:
    """full of a scalar that is computed."""
    def kind(a, k): return a[0].t, k['shape'], (None,) * len(k['shape'])
    def text(a, k, n): return f'full({dims_text(k["shape"])}, {a[0]}, {n.t})'
    def value(env, a, k, n): return a[0].map(lambda v: np.broadcast_to(v, sizes(k['shape'], env)))


@op('iota')
class _:
    def kind(a, k): return k['t'], (k['n'],), (None,)

    def text(a, k, n):
        return f'iota({k["n"]}, {k["t"]}' + (f', from = {literal_text(k["start"], k["t"])})' if 'start' in k else ')')

    def value(env, a, k, n):
        at = np.arange(size(k['n'], env))
        return V.of(at.astype(V.dtype(k['t'])) + V.of(k.get('start', 0), k['t']).v, k['t'])


# ---- elementwise -----------------------------------------------------------------------------------

SYMBOL = dict(add='+', sub='-', mul='*', div='/', rem='%', shl='<<', shr='>>', lt='<', le='<=', gt='>', ge='>=',
              eq='==', ne='!=', land='&&', lor='||', xor='^')
SYMBOL['and'], SYMBOL['or'] = '&', '|'


@op('binary')
class _:
    def kind(a, k):
        t = 'bool' if k['f'] in V.COMPARE else a[0].t
        return elementwise(t, a)

    def text(a, k, n):
        return f'({a[0]} {SYMBOL[k["f"]]} {a[1]})' if k['f'] in SYMBOL else f'{k["f"]}({a[0]}, {a[1]})'

    def value(env, a, k, n): return V.binary(k['f'], *a)


@op('unary')
class _:
    def kind(a, k): return ('bool' if k['f'][:2] == 'is' else a[0].t), a[0].shape, a[0].valid

    def text(a, k, n):
        sign = {'neg': '-', 'not': '!' if n.t == 'bool' else '~'}.get(k['f'])
        return f'({sign}{a[0]})' if sign else f'{k["f"]}({a[0]})'

    def value(env, a, k, n): return V.unary(k['f'], a[0])


@op('fma')
class _:
    def kind(a, k): return elementwise(a[0].t, a)
    def text(a, k, n): return f'fma({", ".join(a)})'
    def value(env, a, k, n): return V.fma(*a)


@op('clamp')
class _:
    def kind(a, k): return elementwise(a[0].t, a)
    def text(a, k, n): return f'clamp({", ".join(a)})'
    def value(env, a, k, n): return V.pick('min', V.pick('max', a[0], a[1]), a[2])


@op('cast')
class _:
    def kind(a, k): return k['t'], a[0].shape, a[0].valid
    def text(a, k, n): return f'({a[0]} as {k["t"]})'
    def value(env, a, k, n): return V.cast(a[0], k['t'])


@op('bitcast')
class _:
    """Between integers of one size, and of exact f32 and f64 to integers."""
    def kind(a, k): return k['t'], a[0].shape, a[0].valid
    def text(a, k, n): return f'bitcast({a[0]}, {k["t"]})'

    def value(env, a, k, n):
        x = a[0]
        raw = np.ascontiguousarray(x.v if V.is_int(x.t) else x.v.astype({'f32': np.float32, 'f64': np.float64}[x.t]))
        nan = np.where(np.isnan(x.v), np.inf, 0) if not V.is_int(x.t) else 0.0
        lost = V.unsure(x)
        return Value(raw.view(V.RAW[k['t']]).reshape(x.shape), k['t'], nan if lost is None else lost + nan)


@op('round')
class _:
    """round_to(t, T, mode)."""
    def kind(a, k): return k['t'], a[0].shape, a[0].valid
    def text(a, k, n): return f'round_to({a[0]}, {k["t"]}, {k["mode"]})'
    def value(env, a, k, n): return V.round_towards(a[0], k['t'], k['mode'])


@op('select')
class _:
    def kind(a, k): return elementwise(a[1].t, a)
    def text(a, k, n): return f'select({", ".join(a)})'
    def value(env, a, k, n): return V.select(*a)


@op('cond')
class _:
    """c ? a : b of a scalar c; both arms have one shape. `true ? a : b` is a, whatever is valid of b."""
    def kind(a, k):
        arms = a[1:] if a[0].op != 'lit' else a[1:2] if a[0].k['v'] else a[2:]
        return a[1].t, a[1].shape, combine(a[1].shape, arms)

    def text(a, k, n): return f'({a[0]} ? {a[1]} : {a[2]})'
    def lazy(env, n): return value(n.args[1 if value(n.args[0], env).scalar() else 2], env)


@op('there')
class _:
    """b ? a : c of an optional tensor b."""
    def kind(a, k): return a[0].t, a[0].shape, combine(a[0].shape, a)
    def text(a, k, n): return f'({k["name"]} ? {a[0]} : {a[1]})'
    def lazy(env, n): return value(n.args[0 if env.arrays.get(n.k['name']) is not None else 1], env)


# ---- padding ---------------------------------------------------------------------------------------


@op('fill')
class _:
    def kind(a, k): return a[0].t, a[0].shape, (None,) * len(a[0].shape)
    def text(a, k, n): return f'fill({a[0]}, {literal_text(k["v"], n.t)})'

    def value(env, a, k, n):
        return V.select(Value(mask_of(n.args[0], env), 'bool'), a[0], V.of(k['v'], n.t))


@op('keep')
class _:
    """operands: the tile, lo, hi, both i64 scalars."""
    def kind(a, k):
        t, axis = a[0], k['axis']
        lo, hi = a[1], a[2]
        have = t.valid[axis]

        def at(env):
            l, h = max(int(value(lo, env).v), 0), min(int(value(hi, env).v), t.shape[axis])
            if have is not None:
                l2, h2 = have.at(env)
                l, h = max(l, l2), min(h, h2)
            return l, h
        span = UNKNOWN if have == UNKNOWN else Span(f'keep {text(lo)} {text(hi)} {have.key if have else ""}', at)
        return t.t, t.shape, t.valid[:axis] + (span,) + t.valid[axis + 1:]

    def text(a, k, n): return f'keep({a[0]}, {a[1]}, {a[2]}, axis = {k["axis"]})'
    def value(env, a, k, n): return a[0]


@op('valid')
class _:
    def kind(a, k): return 'bool', a[0].shape, (None,) * len(a[0].shape)
    def text(a, k, n): return f'valid({a[0]})'

    def value(env, a, k, n):
        return Value(np.broadcast_to(mask_of(n.args[0], env), sizes(n.shape, env)), 'bool')


# ---- functions -------------------------------------------------------------------------------------


@op('call')
class _:
    """A fn: k has its name, its parameters (names) and its body, whose names are those of the operands."""
    def kind(a, k): return k['body'].t, k['body'].shape, k['body'].valid
    def text(a, k, n): return f'{k["name"]}({", ".join(a)})'

    def lazy(env, n):
        inner = env.inside({p: value(a, env) for p, a in zip(n.k['params'], n.args)})
        return value(n.k['body'], inner)


def fn_text(n):
    """The definition of the fn that a call node calls."""
    kind = lambda x: f'tile<{x.t}, {dims_text(x.shape)}>' if x.shape else x.t
    params = ', '.join(f'{p}: {kind(a)}' for p, a in zip(n.k['params'], n.args))
    return f'fn {n.k["name"]}({params}) -> {kind(n)} {{ return {text(n.k["body"])}; }}'
