"""contract.py -- random kernels around contractions that tensor cores can make: extents in sixteens"""
import re
import value as V
import weights as W
from expressions import Expressions
from kernel import Assign, For, Leave, Let, Store
from leaves import Index, Name
from memory_ops import Source
from node import UNKNOWN, combine, make

# What would send the whole kernel to CUDA cores; now and then it may.
ORDERED = ('sort', 'topk', 'histogram', 'scan', 'fold', 'reshape', 'cat', 'extract', 'split', 'flip', 'mma')


def bare(v):
    return make('lit', v=v, t='i64', bare=True)


class Place:
    """Where an axis of an operand lies: its extent, the tensor's dim, the index of the tile along it."""

    def __init__(self, extent, dim, index):
        self.extent, self.dim, self.index = extent, dim, index


def constant(t, shape, v=1):
    """Of any type: the narrow ones have no literals."""
    return make('cast', constant('f32', shape, v), t=t) if t in V.NARROW else make('full', t=t, shape=shape, v=v)


def as_type(n, t):
    return n if n.t == t else make('cast', n, t=t)


def through_wider(f, n):
    """f of n, which may be of a type that nothing computes in."""
    return as_type(f(as_type(n, 'f32')), n.t) if n.t in V.NARROW else f(n)


class Contractions(Expressions):
    """tensor_kernel, and what it is made of."""

    def tensor_kernel(self):
        self.a = self.pick(W.OPERANDS)
        other = {'f8e4m3': 'f8e5m2', 'f8e5m2': 'f8e4m3', 'i8': 'u8', 'u8': 'i8'}.get(self.a, self.a)
        self.b = other if self.maybe(0.4) else self.a
        self.sum = {'i8': 'i32', 'u8': 'i32', 'f64': 'f64'}.get(self.a, 'f32')
        self.palette = [self.sum] + [t for t in (self.a,) if t != self.sum] + [
            self.rng.choice(('i32', 'bool', 'i64', 'f16', 'f8e4m3', 'f64')) for _ in range(self.maybe(0.5))]
        self.most_inputs, self.statics = 8, True
        self.wild = False          # an index may be anything: k * 16 wraps then, and tile k does not
        few = 0.02 if self.maybe(0.9) else 1
        self.chances = {n: w * (few if n in ORDERED else 1) for n, w in W.EXPRESSIONS.items()}
        self.owners()
        if self.maybe(0.25):
            self.optional()
        self.statements(self.rng.choice((0, 0, 1, 2)), 1)
        for _ in range(2 if self.maybe(0.15) else 1):
            form = self.pick(W.CONTRACTIONS)
            getattr(self, 'contract_' + form)()
        self.statements(self.rng.choice((0, 0, 1)), 1)
        for y in [p for p in self.program.params if p.owned()]:
            self.finish(y)

    def sixteens(self, beside=1):
        return self.pick({d: w for d, w in W.SIXTEENS.items() if d * beside <= W.MOST_TENSOR})

    def depth(self, beside):
        """An extent along k: products of bytes are 32 long."""
        n = self.sixteens(beside)
        return -(-n // 32) * 32 if V.bits(self.a) == 8 and self.maybe(0.9) else n

    def owners(self):
        """Outputs over i and j, perhaps over a batch; their places."""
        self.batch, self.lead = None, ()
        by, dims = [], []
        if self.maybe(0.2):
            axis, dim = self.axis()
            whole = self.maybe(0.5)
            by.append(('one', axis) if whole else ('tile', axis, 1))
            dims.append(dim)
            index = Index(axis, dim, 1)
            self.indices.append(index)
            self.batch = Place(1, dim, index.node())
            self.lead = () if whole else (1,)
        self.rows, self.cols = self.program_axis(1), None
        self.cols = self.program_axis(self.rows.extent) if self.maybe(0.85) else None
        if self.cols is None:
            n = self.sixteens(self.rows.extent)
            self.cols = Place(n, n, bare(0))
        for place in (self.rows, self.cols):
            tile = isinstance(place.dim, str)
            by.append(('tile', place.index.k['name'], place.extent) if tile else ('whole',))
            dims.append(place.dim)
        self.program.area = self.rows.extent * self.cols.extent
        self.turned = self.maybe(0.12)
        if self.turned:
            by[-2:], dims[-2:] = by[:-3:-1], dims[:-3:-1]
        self.output('y', by, dims)

    def program_axis(self, beside):
        axis, dim = self.axis()
        index = Index(axis, dim, self.sixteens(beside))
        self.dims[dim].add(index.tile)
        self.indices.append(index)
        return Place(index.tile, dim, index.node())

    # ---- operands ----

    def loaded(self, t, rows, cols):
        """[rows, cols] of a tensor, the one or the other axis first in memory; None if there are too many tensors."""
        turned = self.maybe(0.4)
        places = [cols, rows] if turned else [rows, cols]
        dims, at, view = [p.dim for p in places], [p.index for p in places], []
        shape = self.lead + tuple(p.extent for p in places)
        if self.lead:
            dims, at = [self.batch.dim] + dims, [self.batch.index] + at
        elif self.batch and self.maybe(0.7):
            dims, view = [self.batch.dim] + dims, [('at', self.batch.index)]
        elif self.maybe(0.08):
            dims, view = [self.any_dim()] + dims, [('at', self.any_index())]
        p = self.tensor(t, dims)
        if p is None:
            return None
        pad = {'pad': self.literal(t)} if self.maybe(0.08) and t not in V.NARROW else {}
        how = self.rng.random() + self.wild
        if how < 0.1 and not self.lead and not view:
            n = self.gathered_rows(p, places, pad)
        elif how < 0.25:
            start = [i if e == 1 else make('binary', i, bare(e), f='mul') for i, e in zip(at, shape)]
            n = make('load', *start, source=Source(p, view), tile=shape, window=True, **pad)
        else:
            n = make('load', *at, source=Source(p, view), tile=shape, window=False, **pad)
        order = list(range(len(self.lead))) + [len(shape) - 1, len(shape) - 2]
        return make('permute', n, order=order, word='t') if turned else n

    def gathered_rows(self, p, places, pad):
        """The first axis by an index tile, the second as it lies."""
        e = places[1].extent
        rows = self.clear('i32', (places[0].extent,), None, 1)
        start = make('binary', places[1].index, bare(e), f='mul')
        return make('gather', rows, start, source=Source(p), windows={1: e}, **pad)

    def operand(self, t, rows, cols, plain=0.65):
        """One side of a contraction: a load, or something that is computed from one."""
        shape = self.lead + (rows.extent, cols.extent)
        n = self.loaded(t, rows, cols) if self.maybe(0.85) else None
        if n is None:
            other = self.rng.choice([p for p in self.palette if p not in V.NARROW + ('bool', 'i64')] + ['i8'])
            n = self.loaded(other, rows, cols)
            n = None if n is None else as_type(n, t)
        if n is None:
            n = self.expr(t, shape, 2)
        return n if self.maybe(plain) else through_wider(self.worked, n)

    def worked(self, n):
        """The same type and shape after some steps."""
        for _ in range(self.rng.choice((1, 1, 2))):
            n = self.step(n)
        return n

    def step(self, n):
        kind = self.rng.randrange(9)
        known, whole = all(v != UNKNOWN for v in n.valid), V.is_int(n.t)
        if kind == 0:
            return make('binary', n, make('lit', v=self.rng.choice((2, 3) if whole else (2, 0.5, -1, 1)), t=n.t, bare=True), f='mul')
        if kind in (1, 2):
            f = self.rng.choice(('add', 'sub', 'mul', 'max', 'min'))
            return make('binary', n, self.expr(n.t, self.smaller(n.shape), 1), f=f)
        if kind == 3:
            return make('select', self.expr('bool', self.smaller(n.shape), 1), n, make('lit', v=self.literal(n.t), t=n.t))
        if kind == 4 and known:
            return make('fill', n, v=0)
        if kind == 5:
            axis = self.rng.randrange(len(n.shape))
            if n.valid[axis] != UNKNOWN:
                return make('keep', n, self.bound(n.shape[axis]), self.bound(n.shape[axis]), axis=axis)
        if kind == 6:
            axis = self.rng.randrange(len(n.shape))
            if n.valid[axis] != UNKNOWN:
                fold = make('reduce', n, f=self.rng.choice(('max', 'min') if whole else ('max', 'min', 'sum')), axes=[axis], keepdims=True)
                return make('binary', n, fold, f=self.rng.choice(('sub', 'add')))
        if kind == 7:
            t = self.rng.choice(('f32', 'f16', 'bf16', 'f64', 'i32'))
            if t != n.t:
                return make('cast', make('cast', n, t=t), t=n.t)
        return make('unary', n, f=self.rng.choice(('neg', 'abs') if whole else ('neg', 'abs', 'floor')))

    def agreeing(self, x, y):
        """Both sides, valid over the same part along k."""
        if x.valid[-1] == UNKNOWN:
            x = constant(x.t, x.shape)
        if y.valid[-2] == UNKNOWN:
            y = constant(y.t, y.shape)
        p, q = x.valid[-1], y.valid[-2]
        if p is not None and q is not None and p.key != q.key:
            fill = lambda n: make('fill', n, v=0)
            y = through_wider(fill, y) if UNKNOWN not in y.valid else constant(y.t, y.shape)
        return x, y

    def product(self, x, y, *acc):
        return make('mma', *self.agreeing(x, y), *acc, t=acc[0].t if acc else self.sum)

    # ---- kinds of contractions ----

    def accumulator(self, shape):
        """A variable that a loop adds to; it may begin as anything."""
        t = 'f16' if self.a == 'f16' and self.maybe(0.12) else self.sum
        first = make('full', t=t, shape=shape, v=0) if self.maybe(0.7) else self.expr(t, shape, 2)
        v = Name(f'v{self.number()}', t, shape, list(first.valid), True, self.level)
        self.block.append(Let(v.name, first, True))
        return v

    def add(self, v, n):
        """v = n inside of a loop: what is valid before and after, which no round changes."""
        steady = lambda x: UNKNOWN if x is None or x == UNKNOWN or re.search(r'\b[kvtc]\d+\b', x.key) else x
        both = combine(n.shape, [v.node(), n])
        v.valid = [None if x is None else steady(x) for x in both]
        self.block.append(Assign([v.name], [n]))

    def loop(self, body):
        """Rounds along an extent of its own; body(place) makes the statements of one."""
        name = 'KLPQRSUV'[sum(n in 'KLPQRSUV' for n in self.dims)]
        self.dims[name] = set()
        e = self.depth(max(self.rows.extent, self.cols.extent))
        self.dims[name].add(e)
        self.program.rounds.add(name)
        k = f'k{self.number()}'
        index = Index(k, name, e)
        lo, hi, step = bare(0), make('binary', make('extent', name=name), bare(e), f='ceil'), 1
        if self.maybe(0.1):
            lo = self.leaf_parameter('i32', ()) or bare(1) if self.maybe(0.5) else bare(self.rng.choice((-1, 1, 2)))
        if self.maybe(0.08):
            hi = self.leaf_parameter('i32', ()) or bare(3)
        if self.maybe(0.05):
            step = 2
        self.wild = lo.op == 'name' or hi.op == 'name' or lo.k.get('v', 0) < 0
        before, outer = self.open(), self.inner
        self.loops, self.inner = self.loops + 1, self.level
        self.indices.append(index)
        if self.maybe(0.2):
            self.statements(1, 1)
        if self.maybe(0.06):
            self.block.append(Leave(self.expr('bool', (), 1), self.rng.choice(('break', 'continue'))))
        body(Place(e, name, index.node()))
        if self.maybe(0.1):
            self.statements(1, 0)
        self.indices.pop()
        self.loops, self.inner, self.wild = self.loops - 1, outer, False
        inside = self.close(before)
        self.block.append(For(k, lo, hi, step, inside, unroll=self.rng.choice((0, 0, 0, 0, 2)),
                              stages=self.rng.choice((0, 0, 2, 4, 8))))

    def contract_loop(self):
        """One to three results, each its own or over operands that others have too."""
        results = [(self.rows, self.cols)]
        while len(results) < 3 and self.maybe(0.25):
            results.append((self.rows, self.another(self.rows.extent)))
        accs = [self.accumulator(self.lead + (r.extent, c.extent)) for r, c in results]

        def body(k):
            for v, (r, c) in zip(accs, results):
                x, y = self.operand(self.a, r, k), self.operand(self.b, k, c)
                if self.maybe(0.25):
                    x = self.named(x)
                self.add(v, self.product(x, y, v.node()))
                if self.maybe(0.12):
                    self.add(v, make('binary', v.node(), make('lit', v=2 if V.is_int(v.t) else 0.5, t=v.t, bare=True), f='mul'))
        self.loop(body)
        self.names += accs
        for v, (r, c) in list(zip(accs, results))[1:]:
            self.another_use(v, r, c)

    def another(self, beside):
        """Other columns: of a static extent, or those that are there."""
        n = self.sixteens(beside)
        return self.cols if self.maybe(0.4) else Place(n, n, bare(0))

    def another_use(self, v, rows, cols):
        """What has other columns is an operand in turn, or an output; or nothing yet."""
        if cols is self.cols or any(p.name == 'z' for p in self.program.params):
            return
        if isinstance(self.cols.dim, str):         # else the output lacks a program axis
            if self.maybe(0.5):
                self.read.add(v.name)
                self.named(self.product(as_type(v.node(), self.a), self.operand(self.b, cols, self.cols)))
            return
        first = self.program.params[0]
        lead = len(first.dims) - 2
        self.output('z', first.by[:lead] + [('tile', rows.index.k['name'], rows.extent), ('whole',)],
                    first.dims[:lead] + [rows.dim, cols.dim])

    def named(self, n):
        """let v = n; inside of a loop too."""
        name = f'v{self.number()}'
        self.block.append(Let(name, n))
        v = Name(name, n.t, n.shape, list(n.valid), False, self.level)
        self.names.append(v)
        return v.node()

    def contract_attention(self):
        """A product that is an operand of the next, from registers."""
        depth = Place(self.depth(self.rows.extent), 0, bare(0))
        depth.dim = depth.extent
        q = self.operand(self.a, self.rows, depth)
        q = self.named(q) if self.maybe(0.6) else q
        v = self.accumulator(self.lead + (self.rows.extent, self.cols.extent))
        least = self.accumulator(self.lead + (self.rows.extent, 1)) if self.maybe(0.4) else None

        def body(k):
            s = self.named(self.product(q, self.operand(self.b, depth, k)))
            if least and s.valid[-1] != UNKNOWN:
                top = make('reduce', s, f='max', axes=[len(s.shape) - 1], keepdims=True)
                self.add(least, make('binary', least.node(), as_type(top, least.t), f='max'))
                p = make('binary', s, as_type(least.node(), self.sum), f='sub')
            else:
                p = self.worked(s) if self.maybe(0.7) else s
            p = as_type(p, self.a)
            p = self.named(p) if self.maybe(0.4) else p
            self.add(v, self.product(p, self.operand(self.b, k, self.cols), v.node()))
        self.loop(body)
        self.names += [v] + ([least] if least else [])

    def contract_flat(self):
        """Without a loop: one after another, the first one's result an operand of the second."""
        depth = Place(self.depth(max(self.rows.extent, self.cols.extent)), 0, bare(0))
        depth.dim = depth.extent if self.maybe(0.6) else self.any_dim(depth.extent)
        if isinstance(depth.dim, str):
            self.dims[depth.dim].add(depth.extent)
        n = self.product(self.operand(self.a, self.rows, depth), self.operand(self.b, depth, self.cols))
        if self.maybe(0.5):
            cols = self.another(self.rows.extent)
            y = self.operand(self.b, self.cols, cols)
            x = as_type(self.worked(n), self.a)
            self.named(self.product(x, y))
            self.another_use(self.names[-1], self.rows, cols)
        self.named(n)

    # ---- the end ----

    def finish(self, y):
        """Stores what has the shape of the output, and something of all else."""
        shape = make('part', param=y).shape
        flipped = shape[:-2] + shape[:-3:-1]
        turn = lambda n: make('permute', n, order=list(range(len(shape) - 2)) + [len(shape) - 1, len(shape) - 2], word='t')
        have = [v for v in self.names if v.shape == shape and v.t == self.sum and v.mut]
        turned = [v for v in self.names if v.shape == flipped and v.t == self.sum and v.mut]
        take = turned if self.turned and turned and y.name == 'y' else have
        if take:
            v = take[-1]
            self.read.add(v.name)
            n = turn(v.node()) if take is turned and self.turned else v.node()
            n = self.worked(n) if self.maybe(0.6) else n
            n = self.with_others(as_type(n, y.t), y.t, shape)
        else:
            n = self.stored(y.t, shape)
        mask = self.expr('bool', shape, 1) if self.maybe(0.12) else None
        self.program.body.append(Store(Source(y), n, mask=mask))
        y.covered = mask is None and not y.opt
