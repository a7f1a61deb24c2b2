"""leaves.py -- the ends of random expressions: names, literals, loads; tensors are declared as they are wanted"""
import contextlib
import value as V
import weights as W
from kernel import LetPair, Param
from memory_ops import Source, dim_text
from node import make, text

LITERALS = {'i': (0, 1, 2, 3, 5, 7, -1, -2, -3, 16), 'u': (0, 1, 2, 3, 5, 7, 16, 31), 'f': (0, 1, 2, -1, 0.5, 3, -2, 1.5)}


class Name:
    """A variable in scope; level: the block that declares it; valid changes with each assignment."""

    def __init__(self, name, t, shape, valid, mut=False, level=0):
        self.name, self.t, self.shape, self.valid, self.mut, self.level = name, t, shape, valid, mut, level

    def node(self):
        return make('name', name=self.name, t=self.t, shape=self.shape, valid=tuple(self.valid))


class Index:
    """An i64 that counts tiles: of a program axis or a loop; dim, tile: what it goes along, or None."""

    def __init__(self, name, dim=None, tile=None):
        self.name, self.dim, self.tile = name, dim, tile

    def node(self):
        return make('name', name=self.name, t='i64', shape=(), valid=())


class Leaves:
    """Chance, scope, and the leaves of expressions."""

    def pick(self, weights):
        names = list(weights)
        return self.rng.choices(names, [weights[n] for n in names])[0]

    def maybe(self, p):
        return self.rng.random() < p

    def number(self):
        self.counter += 1
        return self.counter

    def extent(self, beside):
        """A static extent that leaves a tile small enough."""
        from expressions import count
        room = max(W.MOST // max(count(beside), 1), 1)
        return self.pick({d: w for d, w in W.EXTENTS.items() if d <= room})

    def whole_axis(self, beside):
        """Now and then the name of an extent, if no axis is whole yet."""
        if self.closed or self.statics or not self.dims or any(not isinstance(d, int) for d in beside) or not self.maybe(0.15):
            return None
        return self.rng.choice(list(self.dims))

    def literal(self, t):
        if t == 'bool':
            return self.rng.choice((True, False))
        if V.is_int(t):
            info = V.np.iinfo(V.RAW[t])
            if self.maybe(0.15):
                return int(self.rng.choice((info.min, info.max, info.max - 1)))
            return self.rng.choice(LITERALS[t[0]])
        if self.special and self.maybe(0.2) and t in V.ARITH:
            return self.rng.choice((float('inf'), float('-inf'), float('nan')))
        return self.rng.choice(LITERALS['f'])

    def plain(self, t):
        return True if t == 'bool' else 1

    def bound(self, extent):
        """An i64 scalar that is near the places of an axis."""
        if self.indices and not self.closed and self.maybe(0.3):
            at = self.rng.choice(self.indices).node()
            return make('binary', at, make('lit', v=self.rng.randrange(extent + 1), t='i64', bare=True), f='add')
        return make('lit', v=self.rng.randrange(-1, extent + 2), t='i64')

    @contextlib.contextmanager
    def only(self, nodes):
        """A scope of those names alone, as in a fn."""
        keep = self.names, self.closed
        self.names, self.closed = [Name(n.k['name'], n.t, n.shape, n.valid) for n in nodes], True
        yield
        self.names, self.closed = keep

    def pair(self, nodes, split=None):
        """let (a, b) = ..; their names."""
        names = [f't{self.number()}' for _ in nodes]
        how = None
        if split:
            how = lambda: f'split({text(split[1])}, {split[2]}, {split[3]})'
        self.block.append(LetPair(names, nodes, how))
        for name, n in zip(names, nodes):
            self.names.append(Name(name, n.t, n.shape, n.valid, level=self.level))
        return names

    # ---- leaves ----

    def leaf(self, t, shape):
        shape = tuple(shape)
        left = dict(W.LEAVES if shape else W.SCALARS)
        while left:
            what = self.pick(left)
            n = getattr(self, 'leaf_' + what)(t, shape)
            if n is not None:
                self.seen[what] = self.seen.get(what, 0) + 1
                return n
            del left[what]
        if not shape:
            return make('lit', v=self.literal(t), t=t) if t not in V.NARROW else make('cast', self.leaf('f32', ()), t=t)
        if t in V.NARROW:
            return make('cast', make('full', t='f32', shape=shape, v=1.0), t=t)
        return make('full', t=t, shape=shape, v=self.literal(t))

    def leaf_name(self, t, shape):
        have = [n for n in self.names if n.t == t and n.shape == shape]
        if not have:
            return None
        v = self.rng.choice(have[-6:])
        self.read.add(v.name)
        return v.node()

    def leaf_literal(self, t, shape):
        return make('lit', v=self.literal(t), t=t) if t not in V.NARROW else None

    def leaf_parameter(self, t, shape):
        if self.closed or t in V.NARROW:
            return None
        have = [n for n, k in self.program.scalars if k == t]
        if not have and len(self.program.scalars) < 3 and t not in ('bool', 'f16', 'bf16'):    # C has no such numbers
            have = [f's{len(self.program.scalars)}']
            self.program.scalars.append((have[0], t))
        return make('name', name=self.rng.choice(have), t=t, shape=(), valid=()) if have else None

    def leaf_extent(self, t, shape):
        return make('extent', name=self.rng.choice(list(self.dims))) if t == 'i64' and self.dims and not self.closed else None

    def leaf_index(self, t, shape):
        return self.rng.choice(self.indices).node() if t == 'i64' and self.indices and not self.closed else None

    def leaf_element(self, t, shape):
        if self.closed:
            return None
        p = self.tensor(t, None)
        return make('element', *[self.any_index() for _ in p.dims], param=p) if p else None

    def leaf_full(self, t, shape):
        if t in V.NARROW:
            return None
        return make('full', t=t, shape=shape, v=self.literal(t))

    def leaf_fullof(self, t, shape):
        if t in V.NARROW:
            return None
        return make('fullof', self.leaf(t, ()), shape=shape)

    def leaf_iota(self, t, shape):
        if t == 'bool' or t in V.NARROW or not shape or isinstance(shape[-1], str) and self.closed:
            return None
        if t in ('i8', 'u8', 'f16', 'bf16') and shape[-1] not in range(100):
            return None
        start = {'start': self.rng.choice((0, 1, 2, 3))} if self.maybe(0.4) else {}
        n = make('iota', n=shape[-1], t=t, **start)
        return n if len(shape) == 1 else make('stretch', n, shape=shape)

    def leaf_part(self, t, shape):
        """y.load() of an output."""
        if self.closed:
            return None
        for p in self.program.params:
            if p.owned() and p.t == t and not any(e[0] == 'region' for e in p.by) and not p.opt:
                n = make('part', param=p)
                if n.shape == shape:
                    p.read = True
                    return n
        return None

    def leaf_piece(self, t, shape):
        """y.load([..], [..]) of an output, perhaps of a view of it: what is stored so far."""
        if self.closed or not all(isinstance(e, int) for e in shape):
            return None
        for p in self.program.params:
            if p.owned() and p.t == t and not p.opt and not any(e[0] == 'region' for e in p.by):
                view = self.owned_view(p)
                source = Source(p, view)
                if source.rank() == len(shape) and all(isinstance(d, (int, str)) for d in p.dims):
                    p.read = True
                    return make('load', *[self.any_index() for _ in shape], source=source, tile=shape, window=self.maybe(0.3))
        return None

    def owned_view(self, p):
        """Entries of a view of an output; often none."""
        rank = len(p.part_dims())
        if self.maybe(0.5) or not rank:
            return []
        view = [self.rng.choice((None, ('at', self.any_index()), self.owned_range(e[2] if e[0] == 'tile' else 1)))
                for e in p.by if e[0] != 'one']
        while view and view[-1] is None:
            view.pop()
        return view if any(e is None or e[0] != 'at' for e in view + [None] * (rank - len(view))) else []

    def owned_range(self, extent):
        """A range of a part, of a static length: one that a literal puts past the part's end would be shorter."""
        n = self.rng.choice([d for d in (1, 2, 4, 16) if d <= extent])
        first = make('lit', v=self.rng.randrange(extent - n + 1), t='i64', bare=True)
        return ('range', self.indices[0].node() if self.maybe(0.4) else first, None, n)

    def leaf_load(self, t, shape):
        return self.load_of(t, shape, False)

    def leaf_window(self, t, shape):
        return self.load_of(t, shape, True)

    def leaf_like(self, t, shape):
        if self.closed:
            return None
        have = [p for p in self.program.params if p.kind == 'in' and not p.opt and p.t == t]
        self.rng.shuffle(have)
        for p in have:
            n = self.like_of(p, shape)
            if n is not None:
                return n
        return None

    # ---- tensors ----

    def tensor(self, t, dims):
        """An input of a type, of these dims if they are given; None if there are too many."""
        have = [p for p in self.program.params
                if p.kind == 'in' and p.t == t and not p.opt and (dims is None or p.dims == list(dims))]
        if have and self.maybe(0.8):
            return self.rng.choice(have)
        if sum(p.kind == 'in' for p in self.program.params) >= self.most_inputs:
            return self.rng.choice(have) if have else None
        if dims is None:
            dims = [self.any_dim() for _ in range(self.rng.choice((1, 2, 2, 3)))]
        p = Param(f'x{len(self.program.params)}', t, dims, strided=self.maybe(W.STRIDED))
        self.program.params.append(p)
        for d in dims:
            self.stand(d)
        return p

    def any_dim(self, tile=None):
        """An extent of a tensor: a name, a formula, a number."""
        names = list(self.dims)
        r = self.rng.random()
        if names and r < 0.55:
            return self.rng.choice(names)
        if names and r < 0.68:
            return (self.rng.choice(('add', 'mul')), self.rng.choice((1, 2, 3)), self.rng.choice(names))
        if r < 0.8:
            return self.rng.choice((1, 2, 3, 5, 8, 16, 17, 33))
        if len(names) < 5:
            name = 'KLPQRSUV'[sum(n in 'KLPQRSUV' for n in names)]
            self.dims[name] = set()
            return name
        return self.rng.choice(names)

    def stand(self, d):
        """Notes which extents stand alone in a tensor: each name has to somewhere."""
        if isinstance(d, str):
            self.alone.add(d)

    def any_index(self):
        r = self.rng.random()
        if r < 0.5 and self.indices:
            at = self.rng.choice(self.indices).node()
            if self.maybe(0.4):
                at = make('binary', at, make('lit', v=self.rng.choice((1, 2, -1)), t='i64', bare=True), f='add')
            return at
        if r < 0.62:
            ints = [n for n in self.names if n.shape == () and n.t in ('i32', 'i64', 'i16') and not n.mut]
            if ints:
                return self.rng.choice(ints).node()
        return make('lit', v=self.rng.choice((0, 0, 0, 1, 2, -1, 3)), t='i64', bare=True)

    def axis_for(self, e, window):
        """(dim of a tensor, index) for an axis of a tile that is loaded."""
        if not isinstance(e, int):
            return e, make('lit', v=0, t='i64', bare=True)
        fit = [i for i in self.indices if i.tile == e and i.dim is not None]
        if fit and self.maybe(0.75):
            at = self.rng.choice(fit)
            if window:
                start = make('binary', at.node(), make('lit', v=e, t='i64', bare=True), f='mul')
                if self.maybe(0.6):
                    start = make('binary', start, make('lit', v=self.rng.choice((1, 2, -1, -3)), t='i64', bare=True), f='add')
                return at.dim, start
            return at.dim, at.node()
        d = self.any_dim(e)
        if isinstance(d, str):
            self.dims[d].add(e)
        return d, self.any_index()

    def load_of(self, t, shape, window):
        """A load or window that gives this shape, perhaps through a view."""
        if self.closed:
            return None
        pairs = [self.axis_for(e, window) for e in shape]
        dims, index = [d for d, _ in pairs], [i for _, i in pairs]
        view = []
        if self.maybe(0.2) and len(dims) < 4:
            view = self.view_of(dims, index, shape)
        p = self.tensor(t, dims)
        if p is None:
            return self.load_existing(t, shape, window)
        k = dict(source=Source(p, view), tile=shape, window=window)
        if self.maybe(0.3) and t not in V.NARROW:
            k['pad'] = self.literal(t)
        if window and self.maybe(0.25) and all(isinstance(d, int) for d in shape):
            k['step'] = tuple(self.rng.choice((1, 1, 2, 3)) for _ in shape)
        return make('load', *index, **k)

    def load_existing(self, t, shape, window):
        """Of a tensor that is there, whatever its extents."""
        have = [p for p in self.program.params if p.kind == 'in' and p.t == t and not p.opt and len(p.dims) == len(shape)]
        if not have or not all(isinstance(e, int) for e in shape):
            return None
        index = [self.any_index() for _ in shape]
        return make('load', *index, source=Source(self.rng.choice(have)), tile=shape, window=window)

    def view_of(self, dims, index, shape):
        """Entries of a view whose remaining axes are those of dims; dims and index grow and change."""
        view = [None] * len(dims)
        if self.maybe(0.6):
            at = self.rng.randrange(len(dims) + 1)
            dims.insert(at, self.any_dim())
            view.insert(at, ('at', self.any_index()))
        for a, entry in enumerate(list(view)):
            if entry is None and self.maybe(0.3) and all(isinstance(e, int) for e in shape):
                form = self.rng.randrange(3)
                lit = lambda v: make('lit', v=v, t='i64', bare=True)
                if form == 0:
                    view[a] = ('range', self.any_index(), None, self.rng.choice((1, 3, 4, 8, 16)))
                elif form == 1:
                    view[a] = ('range', self.any_index(), None, None)
                else:
                    view[a] = ('range', lit(self.rng.choice((-2, 0, 1))), lit(self.rng.choice((3, 5, 9))), None)
        while view and view[-1] is None:
            view.pop()
        return view

    # ---- load_like ----

    def like_of(self, p, shape):
        """p.load_like(y) of an output y of that shape, if p lines up with it."""
        outs = [y for y in self.program.params if y.owned() and not y.opt and len(y.part_dims()) == len(shape)
                and not any(e[0] == 'region' for e in y.by)]
        for y in outs:
            n = lined_up(p, y)
            if n is not None and tuple(n['tile']) == tuple(shape):
                if self.maybe(0.2) and p.t not in V.NARROW:
                    n['pad'] = self.literal(p.t)
                return make('like', **n)
        return None

    # ---- gather ----

    def gather_of(self, t, shape, depth):
        """Index tiles first, then windows over the last axes."""
        if self.closed:
            return None
        windows = self.rng.randrange(min(len(shape), 2) + 1)
        lead = shape[:len(shape) - windows]
        if not all(isinstance(d, int) for d in lead):
            return None
        tails = shape[len(shape) - windows:]
        tiles = self.rng.choice((1, 1, 2)) if lead or not tails else self.rng.choice((0, 1))
        if tiles + windows == 0 or tiles + windows > 4:
            return None
        dims = [self.any_dim() for _ in range(tiles)] + [d if isinstance(d, str) else self.any_dim() for d in tails]
        p = self.tensor(t, dims)
        if p is None:
            return None
        kinds = [k for k in self.palette if V.is_int(k)] or ['i32']
        args = [self.expr(self.rng.choice(kinds), lead if a == 0 else self.smaller(lead), min(depth, 1)) for a in range(tiles)]
        k = {tiles + a: d for a, d in enumerate(tails)}
        args += [make('lit', v=0, t='i64', bare=True) if isinstance(d, str) else self.any_index() for d in tails]
        pad = {'pad': self.literal(t)} if self.maybe(0.3) and t not in V.NARROW else {}
        return make('gather', *args, source=Source(p), windows=k, **pad)


def lined_up(p, y):
    """The settings of p.load_like(y), by the rules of R5.3; None if p does not line up."""
    names, tile, lines, axis_of, ones, used = [dim_text(d) for d in y.dims], [], [], [], [], 0
    place = {}
    for a, d in enumerate(p.dims):
        if d == 1:
            return None
        at = next((i for i in range(used, len(names)) if names[i] == dim_text(d)), None)
        if at is None:
            return None
        place[at], used = a, at + 1
    for i, (d, e) in enumerate(zip(y.dims, y.by)):
        mine = place.get(i)
        if e[0] == 'one':
            ones += [(mine, e[1])] if mine is not None else []
            continue
        axis_of.append(mine)
        if mine is None:
            tile.append(1)
            lines.append(None)
        elif e[0] == 'tile':
            tile.append(e[2])
            lines.append((mine, e[1]))
        else:
            tile.append(d)
            lines.append(None)
    if any(not isinstance(d, (int, str)) for d in tile):
        return None
    return dict(param=p, of=y.name, tile=tile, lines=lines, axis_of=axis_of, ones=ones)
