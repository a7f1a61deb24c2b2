"""memory_ops.py -- loads, windows, elements and gathers, through views; and where stores put things"""
import numpy as np
import value as V
from node import Span, broadcast, combine, dims_text, literal_text, load_span, make, op, size, sizes, text, value
from value import Value


class Source:
    """A tensor, or a view of one: an entry an axis, None (whole), ('at', node) or ('range', lo, hi, static)."""

    def __init__(self, param, view=()):
        self.param, self.view = param, tuple(view)

    def text(self):
        if not self.view:
            return self.param.name
        return f'{self.param.name}[{", ".join(map(entry_text, self.view))}]'

    def axes(self):
        """(extent or None, text of what it is long, static length or None) of each axis that is left."""
        out = []
        dims = self.param.part_dims()
        for a, d in enumerate(dims):
            entry = self.view[a] if a < len(self.view) else None
            if entry is None:
                out.append((d, None))
            elif entry[0] == 'range':
                out.append((None, entry))
        return out

    def rank(self):
        return len(self.axes())


def entry_text(e):
    if e is None:
        return '..'
    if e[0] == 'at':
        return text(e[1])
    lo, hi, static = e[1:]
    if static:
        return f'{text(lo)} ..+ {static}'
    return (text(lo) if lo else '') + '..' + (text(hi) if hi else '')


class Region:
    """What a source is in one program: the array, and for each of its axes (begin, length) or a place."""

    def __init__(self, env, source):
        p = source.param
        self.array = env.arrays[p.name]
        self.absent = False
        self.axes = []
        view = list(source.view)
        for place in env.parts.get(p.name) or [(0, n) for n in self.array.shape]:
            if not isinstance(place, tuple):        # an axis cut in single elements; None past its end
                self.absent |= place is None
                self.axes.append(place or 0)
                continue
            begin, length = place
            entry = view.pop(0) if view else None
            if entry is None:
                self.axes.append((begin, length))
            elif entry[0] == 'at':
                c = value(entry[1], env).scalar()
                if 0 <= c < length:
                    self.axes.append(begin + c)
                else:
                    self.absent = True
                    self.axes.append(0)
            else:
                lo = value(entry[1], env).scalar() if entry[1] else 0
                hi = lo + entry[3] if entry[3] else value(entry[2], env).scalar() if entry[2] else length
                lo = min(max(lo, 0), length)
                hi = min(max(hi, lo), length)
                self.axes.append((begin + lo, hi - lo))

    def runs(self):
        return [a for a in self.axes if isinstance(a, tuple)]

    def places(self, coords):
        """The index of the array for coordinates along the axes left, and where they exist."""
        coords = list(coords)
        inside = np.asarray(not self.absent and self.array.v.size > 0)
        index = []
        for a in self.axes:
            if isinstance(a, tuple):
                c = np.asarray(coords.pop(0))
                ok = (c >= 0) & (c < a[1])
                inside = inside & ok
                index.append(a[0] + np.where(ok, c, 0))
            else:
                index.append(a)
        return tuple(index), inside

    def read(self, coords, pad, shape):
        index, inside = self.places(coords)
        if not np.any(inside):
            return pad.map(lambda v: np.broadcast_to(v, shape))
        index = tuple(np.where(inside, i, 0) for i in index)
        got = self.array.map(lambda v: np.broadcast_to(v[index], shape))
        return V.select(Value(np.broadcast_to(inside, shape), 'bool'), got, pad)

    def write(self, coords, t, mask=None):
        index, inside = self.places(coords)
        shape = np.broadcast_shapes(inside.shape, t.shape)
        inside = np.broadcast_to(inside, shape)
        if mask is not None:
            inside = inside & mask.v
            if mask.e is not None:
                raise V.Unsure
        index = tuple(np.broadcast_to(i, shape)[inside] for i in index)
        self.array.v[index] = np.broadcast_to(t.v, shape)[inside]
        if self.array.e is not None or t.e is not None:
            if self.array.e is None:
                self.array.e = np.zeros(self.array.v.shape)
            self.array.e[index] = np.broadcast_to(t.err(), shape)[inside]


def grid_of(starts, shape, steps):
    """Coordinates of a tile, each an array that broadcasts to its shape; far outside is far enough at 2^62."""
    return [(max(-2**62, min(2**62, int(s))) + st * np.arange(n)).reshape([-1 if b == a else 1 for b in range(len(shape))])
            for a, (s, n, st) in enumerate(zip(starts, shape, steps))]


def axis_span(source, a, start, extent, step):
    """The valid part along axis a of a source of a load from start on."""
    d, entry = source.axes()[a]

    def length(env):
        return Region(env, source).runs()[a][1]
    if source.param.owned():
        what = f'part {source.text()} {a}'
    else:
        what = str(d) if entry is None else f'view {entry_text(entry)} {source.param.name} {a}'
    return load_span(start, length, what, extent, step)


def pad_of(k, t):
    return V.of(k['pad'], t) if k.get('pad') is not None else V.of(0, t)


def pad_text(k, t):
    return f', pad = {literal_text(k["pad"], t)}' if k.get('pad') is not None else ''


@op('load')
class _:
    """operands: one i64 scalar an axis; k: source, tile (its shape), pad, window (elements), step."""
    def kind(a, k):
        src, tile = k['source'], k['tile']
        valid = []
        for axis, (e, start) in enumerate(zip(tile, a)):
            if not isinstance(e, int):
                valid.append(None)
                continue
            at = start if k.get('window') or e == 1 else make('binary', start, make('lit', v=e, t='i64', bare=True), f='mul')
            valid.append(axis_span(src, axis, at, e, (k.get('step') or (1,) * len(tile))[axis]))
        return src.param.t, tuple(tile), tuple(valid)

    def text(a, k, n):
        word = 'window' if k.get('window') else 'load'
        step = f', step = {dims_text(k["step"])}' if k.get('step') else ''
        return f'{k["source"].text()}.{word}([{", ".join(a)}], {dims_text(k["tile"])}{step}{pad_text(k, n.t)})'

    def value(env, a, k, n):
        shape = sizes(k['tile'], env)
        starts = [x.scalar() * (1 if k.get('window') else s) for x, s in zip(a, shape)]
        coords = grid_of(starts, shape, k.get('step') or (1,) * len(shape))
        return Region(env, k['source']).read(coords, pad_of(k, n.t), shape)


@op('part')
class _:
    """y.load(): the whole part, with the valid part that load at its index has."""
    def kind(a, k):
        p = k['param']
        dims, valid = [], []
        for d, entry in zip(p.dims, p.by):
            if entry[0] == 'one':
                continue
            if entry[0] == 'tile':
                dims.append(entry[2])
                name = make('name', name=entry[1], t='i64', shape=(), valid=())
                start = make('binary', name, make('lit', v=entry[2], t='i64', bare=True), f='mul') if entry[2] > 1 else name
                valid.append(load_span(start, lambda env, d=d: dim_value(d, env), dim_text(d), entry[2]))
            else:
                dims.append(d)
                valid.append(complete(d))
        return p.t, tuple(dims), tuple(valid)

    def text(a, k, n): return f'{k["param"].name}.load()'

    def value(env, a, k, n):
        shape = sizes(n.shape, env)
        return Region(env, Source(k['param'])).read(grid_of([0] * len(shape), shape, [1] * len(shape)),
                                                    V.of(0, n.t), shape)


def complete(d):
    """The valid part of all of a static axis: not `any`, for beside another interval it is mixed."""
    return Span(f'complete {d}', lambda env: (0, d)) if isinstance(d, int) else None


def dim_text(d):
    return str(d) if not isinstance(d, tuple) else {'mul': f'{d[1]} * {d[2]}', 'add': f'{d[2]} + {d[1]}'}[d[0]]


def dim_value(d, env):
    if isinstance(d, tuple):
        n = size(d[2], env)
        return d[1] * n if d[0] == 'mul' else n + d[1]
    return size(d, env)


@op('like')
class _:
    """x.load_like(y): k has the shape, and for each axis of x the program axis and its tile, or None."""
    def kind(a, k):
        p, valid = k['param'], []
        for e, line, own in zip(k['tile'], k['lines'], k['axis_of']):
            if line is None:                       # an axis that the tensor lacks, or a whole one
                valid.append(complete(e) if own is not None else None)
                continue
            axis, name = line
            at = make('name', name=name, t='i64', shape=(), valid=())
            if e > 1:
                at = make('binary', at, make('lit', v=e, t='i64', bare=True), f='mul')
            valid.append(load_span(at, lambda env, d=p.dims[axis]: dim_value(d, env), dim_text(p.dims[axis]), e))
        return p.t, tuple(k['tile']), tuple(valid)

    def text(a, k, n):
        return f'{k["param"].name}.load_like({k["of"]}{pad_text(k, n.t)})'

    def value(env, a, k, n):
        p = k['param']
        starts, shape, full = [0] * len(p.dims), [1] * len(p.dims), sizes(k['tile'], env)
        for e, line, own in zip(full, k['lines'], k['axis_of']):
            if own is None:
                continue
            shape[own] = e
            if line is not None:
                starts[own] = env.names[line[1]].scalar() * e
        for axis, name in k.get('ones', ()):
            starts[axis] = env.names[name].scalar()
        got = Region(env, Source(p)).read(grid_of(starts, shape, [1] * len(shape)), pad_of(k, n.t), tuple(shape))
        return got.map(lambda v: v.reshape(full))


@op('element')
class _:
    """x[i, j], a scalar; 0 out of range."""
    def kind(a, k): return k['param'].t, (), ()
    def text(a, k, n): return f'{k["param"].name}[{", ".join(a)}]'

    def value(env, a, k, n):
        coords = [np.asarray(x.scalar()) for x in a]
        return Region(env, Source(k['param'])).read(coords, V.of(0, n.t), ())


@op('gather')
class _:
    """k: source, windows (axis -> length, or the name of a whole axis), pad; operands: one an axis."""
    def kind(a, k):
        shape, valid = index_shape(a, k['windows'])
        for axis, n in sorted(k['windows'].items()):
            shape += (n,)
            valid += (axis_span(k['source'], axis, a[axis], n, 1) if isinstance(n, int) else None,)
        return k['source'].param.t, shape, valid

    def text(a, k, n):
        return f'{k["source"].text()}.gather({places_text(a, k)}{pad_text(k, n.t)})'

    def value(env, a, k, n):
        if not V.known(*a):
            raise V.Unsure
        return Region(env, k['source']).read(coordinates(env, a, k['windows']), pad_of(k, n.t), sizes(n.shape, env))


def index_shape(a, windows):
    """The shape and valid part of the index tiles together."""
    tiles = [x for axis, x in enumerate(a) if axis not in windows]
    shape = broadcast(*[x.shape for x in tiles]) if tiles else ()
    return shape, combine(shape, tiles)


def places_text(a, k):
    return ', '.join(f'{x} ..+ {k["windows"][i]}' if i in k['windows'] else x for i, x in enumerate(a))


def coordinates(env, a, windows):
    """The element that each place names, one array an axis."""
    extra, out, seen = len(windows), [], 0
    for axis, x in enumerate(a):
        if axis in windows:
            n = size(windows[axis], env)
            line = (x.scalar() + np.arange(n)).reshape([-1] + [1] * (extra - 1 - seen))
            seen += 1
            out.append(line)
        else:
            out.append(x.v.astype(object if x.t == 'u64' else np.int64).reshape(x.shape + (1,) * extra))
    return [np.asarray(np.where((c < -2**62) | (c > 2**62), -1, c), np.int64) if c.dtype == object else c for c in out]
