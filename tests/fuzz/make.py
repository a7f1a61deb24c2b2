"""make.py -- random kernels: outputs and who owns them, statements around random expressions"""
import random
import value as V
import weights as W
from contract import Contractions
from kernel import Assert, Assign, For, If, IfThere, Leave, Let, Param, Program, Scatter, Store, While
from leaves import Index, Name
from memory_ops import Source
from node import UNKNOWN, broadcast, make

AXES = (('i', 'M'), ('j', 'N'), ('l', 'O'), ('h', 'H'))
SIGNS = {'+': 'add', '-': 'sub', '*': 'mul', '&': 'and', '|': 'or', '^': 'xor'}


def number(v):
    return make('lit', v=v, t='i64', bare=True)


class Maker(Contractions):
    def __init__(self, name, seed):
        self.rng = random.Random(seed)
        self.program = Program(name)
        self.counter = 0
        self.names, self.indices, self.closed = [], [], False
        self.dims, self.alone = {}, set()          # extents: name -> tiles along it; which stand alone
        self.read = set()                          # variables that an expression mentions
        self.seen = {}                             # what was made, for the table of coverage
        self.block, self.level, self.loops = self.program.body, 0, 0
        self.inner = 0                             # the level of the innermost loop's body
        self.chances, self.most_inputs, self.statics = W.EXPRESSIONS, 5, False
        self.real = self.maybe(W.REAL)
        self.special = self.maybe(W.SPECIAL)
        self.palette = []
        while len(self.palette) < self.rng.choice((2, 3, 4)):
            t = self.pick(W.TYPES)
            self.palette += [t] if t not in self.palette else []
        if all(t in V.NARROW + ('bool',) for t in self.palette):
            self.palette.append('f32')

    def program_of(self):
        """The whole kernel."""
        p, form = self.program, self.rng.random()
        p.real, p.special, p.unsure = self.real, self.special, False
        if form < W.ATOMIC:
            self.grid_kernel('atomic')
        elif form < 1.6 * W.ATOMIC:
            self.grid_kernel('scatter')
        elif form > 1 - W.TENSOR:
            self.tensor_kernel()
        else:
            self.owned_kernel()
        self.stand_alone()
        if self.maybe(0.3):
            p.attribute = f'#[threads({self.rng.choice((32, 64, 96, 128, 256, 512, 1024))})]'
        if self.alone and self.maybe(W.WHERE):
            d = self.rng.choice(sorted(self.alone))
            p.multiples[d] = self.rng.choice(sorted(self.dims[d]) + [2, 4, 8, 16])
        p.dims, p.seen = self.dims, self.seen
        return p

    def stand_alone(self):
        """Every extent's name stands alone in some tensor that is not optional."""
        for p in self.program.params:
            if not p.opt:
                self.alone.update(d for d in p.dims if isinstance(d, str))
        for d in [d for d in self.dims if d not in self.alone]:
            used = any(d in str(q.dims) for q in self.program.params) or any(
                d in n.shape or n.op == 'extent' and n.k['name'] == d for n in self.program.used())
            if used:
                x = Param(f'x{len(self.program.params)}', 'u8', [d])
                self.program.params.append(x)

    # ---- outputs ----

    def owned_kernel(self):
        rank = self.pick(W.RANKS)
        used = [self.axis() for _ in range(max(rank, 1))]
        by, dims, size = [], [], 1
        for n, (axis, dim) in enumerate(used):
            if n and self.maybe(W.WHOLE) and not any(e[0] == 'whole' for e in by):
                by.append(('whole',))
                dims.append(dim if self.maybe(0.7) else self.extent((size,)))
                size *= 64 if isinstance(dims[-1], str) else dims[-1]
            elif rank == 0 or self.maybe(0.1):
                by.append(('one', axis))
                dims.append(dim)
            else:
                by.append(('tile', axis, self.extent((size,))))
                dims.append(dim)
                size *= by[-1][2]
        order = list(range(len(by)))
        self.rng.shuffle(order) if self.maybe(0.2) else None
        by, dims = [by[o] for o in order], [dims[o] for o in order]
        self.output('y', by, dims)
        for e, d in zip(by, dims):
            if e[0] in ('tile', 'one'):
                self.indices.append(Index(e[1], d, e[2] if e[0] == 'tile' else 1))
        if self.maybe(0.3):
            self.second(by, dims)
        if self.maybe(0.25):
            self.optional()
        self.statements(self.rng.randrange(0, 7), 2)
        for y in [p for p in self.program.params if p.owned()]:
            self.final(y)

    def axis(self):
        axis, dim = AXES[len([d for d in self.dims if d in 'MNOH'])]
        self.dims[dim] = set()
        return axis, dim

    def output(self, name, by, dims, opt=False):
        kinds = [t for t in self.palette]
        y = Param(name, self.rng.choice(kinds), dims, 'out', by, self.maybe(0.1), opt)
        for e, d in zip(by, dims):
            if isinstance(d, str) and e[0] == 'tile':
                self.dims[d].add(e[2])
        y.read = False
        self.program.params.append(y)
        return y

    def second(self, by, dims):
        """Another output over the same program axes."""
        axes = [(e, d) for e, d in zip(by, dims) if e[0] in ('tile', 'one')]
        self.rng.shuffle(axes) if self.maybe(0.3) else None
        by2, dims2, size = [], [], 1
        for e, d in axes:
            tile = e[0] == 'tile' and (self.maybe(0.8) and ('tile', e[1], e[2]) or ('tile', e[1], self.extent((size,)))) or e
            by2.append(tile)
            dims2.append(d)
            size *= tile[2] if tile[0] == 'tile' else 1
        if len(by2) < 4 and self.maybe(0.3) and size < W.MOST // 8:
            by2.append(('whole',))
            dims2.append(self.rng.choice((1, 2, 3, 4, 8)))
        self.output('z', by2, dims2, self.maybe(0.2))

    def optional(self):
        dims = [d for d in self.program.params[0].dims if d != 1]
        cut = self.rng.randrange(len(dims)) if dims else 0
        if dims:
            q = Param('q', self.rng.choice(self.palette), dims[cut:], opt=True)
            self.program.params.append(q)

    def final(self, y):
        """What stores all of an output."""
        if y.opt:
            shape = make('part', param=y).shape
            n = self.stored(y.t, shape)
            self.program.body.append(IfThere(y, [Store(Source(y), n)]))
            return
        shape = make('part', param=y).shape
        whole = [a for a, d in enumerate(shape) if not isinstance(d, int)]
        if len(shape) and self.maybe(0.1) and not whole:
            return self.in_pieces(y, shape)
        if not self.maybe(0.08):
            self.program.body.append(Store(Source(y), self.stored(y.t, shape)))
            y.covered = True
        else:
            mask = self.expr('bool', shape, 1)
            self.program.body.append(Store(Source(y), self.stored(y.t, shape), mask=mask))

    def stored(self, t, shape):
        """What an output is given; variables that nothing has read so far take part, lest they be dropped."""
        return self.with_others(self.expr(t, shape, self.rng.choice((2, 3, 3, 4))), t, shape)

    def with_others(self, n, t, shape):
        """n, and what no expression mentions so far."""
        if t in V.NARROW:
            return n
        idle = [v for v in self.names if v.t not in V.NARROW and v.name not in self.read]
        for v in self.rng.sample(idle, min(len(idle), 3)):
            part = self.brought(v.node(), t, shape)
            if part is not None:
                self.read.add(v.name)
                n = make('binary', n, part, f='xor' if t == 'bool' or V.is_int(t) and self.maybe(0.5) else 'add')
        return n

    def brought(self, n, t, shape):
        """A variable as something that stretches to the shape, of type t; None if padding forbids it."""
        if broadcast(n.shape, shape) != shape:
            if any(v == UNKNOWN for v in n.valid):
                return None
            n = make('reduce', n, f='any' if n.t == 'bool' else self.rng.choice(('max', 'min')), axes=None)
        return n if n.t == t else make('cast', n, t=t)

    def in_pieces(self, y, shape):
        """A loop over pieces along one axis, each stored by its index or by its first element."""
        axis = self.rng.randrange(len(shape))
        e = self.rng.choice([d for d in (1, 2, 3, 4, 8, 16) if d <= shape[axis]])
        k = f'k{self.number()}'
        piece = tuple(e if a == axis else d for a, d in enumerate(shape))
        at = [make('name', name=k, t='i64', shape=(), valid=()) if a == axis else number(0) for a in range(len(shape))]
        word = self.rng.choice(('store', 'put'))
        body, block = [], self.block
        self.block, self.level, self.loops = body, self.level + 1, self.loops + 1
        self.indices.append(Index(k))
        value = self.expr(y.t, piece, 2)
        if word == 'put':
            at[axis] = make('binary', at[axis], number(e), f='mul')
        body.append(Store(Source(y), value, word, at))
        self.indices.pop()
        self.close(block)
        self.loops -= 1
        self.program.body.append(For(k, number(0), number(-(-shape[axis] // e)), 1, body))

    # ---- kernels without `by` ----

    def grid_kernel(self, kind):
        axis, dim = self.axis()
        tile = self.extent((8,))
        self.dims[dim].add(tile)
        p = self.program
        p.grid = [(axis, dim, tile)]
        self.indices.append(Index(axis, dim, tile))
        t = self.rng.choice(('i32', 'u32', 'i64', 'u64')) if kind == 'atomic' else self.rng.choice(self.palette)
        wide = self.maybe(0.4)
        dims = [self.rng.choice((3, 8, 16, 33))] if kind == 'atomic' else [dim]
        dims += [self.rng.choice((4, 8, 11))] if wide else []
        h = Param('h', t, dims, kind)
        h.read = True
        p.params.append(h)
        x = Param('x1', self.rng.choice(('i32', 'i64')), [dim])
        p.params.append(x)
        self.statements(self.rng.randrange(0, 5), 2)
        windows = {1: dims[1]} if wide and self.maybe(0.6) else {}
        if kind == 'scatter':
            at = make('iota', n=tile, t='i64')
            base = make('binary', self.indices[0].node(), number(tile), f='mul')
            if self.maybe(0.5):
                at = make('flip', at, axes=[0])
            places = [make('binary', at, base, f='add')]
        else:
            places = [self.clear(self.rng.choice(('i32', 'i64')), (tile,), None, 2)]
        if wide and windows:
            places.append(number(0))
        elif wide:
            places = [make('expand', places[0], axis=1), make('iota', n=dims[1], t='i32')]
        shape = (tile, dims[1]) if wide else (tile,)
        n = self.clear(t, self.smaller(shape) if kind == 'atomic' else shape, None, 3)
        if kind == 'scatter':
            n = self.data(t, shape, 3)
        word = 'scatter' if kind == 'scatter' else self.rng.choice(
            ('atomic_add', 'atomic_add', 'atomic_min', 'atomic_max', 'atomic_and', 'atomic_or', 'atomic_xor'))
        p.body.append(Scatter(h, word, places, windows, n))

    # ---- statements ----

    def statements(self, n, depth):
        for _ in range(n):
            left = dict(W.STATEMENTS)
            while left:
                what = self.pick(left)
                if getattr(self, 'do_' + what)(depth):
                    self.seen['stmt ' + what] = self.seen.get('stmt ' + what, 0) + 1
                    break
                del left[what]

    def open(self):
        """A block inside of this one; what it declares goes with it."""
        before = self.block
        self.block, self.level = [], self.level + 1
        return before

    def close(self, before):
        block, self.block = self.block, before
        self.level -= 1
        self.names = [n for n in self.names if n.level <= self.level]
        return block

    def some_shape(self):
        """Of an output, of a variable, or new."""
        r = self.rng.random()
        if r < 0.4:
            p = self.program.params[0]
            return make('part', param=p).shape if p.owned() else (self.program.grid[0][2],)
        if r < 0.7 and self.names:
            return self.rng.choice(self.names).shape
        if r < 0.8:
            return ()
        shape = []
        for _ in range(self.rng.choice((1, 2, 2, 3))):
            shape.append(self.extent(shape))
        return tuple(shape)

    def some_type(self):
        return self.rng.choice(self.palette)

    def do_let(self, depth):
        return self.declare(False)

    def do_mut(self, depth):
        return self.declare(True)

    def declare(self, mut):
        t, shape = self.some_type(), self.some_shape()
        n = self.expr(t, shape, 2)
        name = f'v{self.number()}'
        self.block.append(Let(name, n, mut, self.maybe(0.2)))
        self.names.append(Name(name, t, shape, list(n.valid), mut, self.level))
        return True

    def fits(self, v, valid):
        """Whether an assignment here keeps what the joins around it assume."""
        if v.level == self.level:
            return True
        return all(have == UNKNOWN or (have is None and new is None)
                   or (have is not None and new not in (None, UNKNOWN) and have.key == new.key)
                   for have, new in zip(v.valid, valid))

    def assigned(self, v, valid):
        v.valid = [UNKNOWN if have == UNKNOWN and v.level != self.level else new for have, new in zip(v.valid, valid)]

    def mutable(self):
        return [v for v in self.names if v.mut and v.t not in V.NARROW]

    def do_assign(self, depth):
        have = self.mutable()
        if not have:
            return False
        v = self.rng.choice(have)
        signs = '+-*' if v.t in V.ARITH else '+-*&|^' if v.t != 'bool' else '&|^'
        if self.maybe(0.5):
            sign = self.rng.choice(signs)
            n = self.expr(v.t, self.smaller(v.shape), 2)
            if broadcast(n.shape, v.shape) != v.shape:
                return False
            whole = make('binary', v.node(), n, f=SIGNS[sign])
            if not self.fits(v, whole.valid):
                return False
            self.block.append(Assign([v.name], [n], sign))
            self.assigned(v, whole.valid)
            return True
        n = self.expr(v.t, v.shape, 2)
        if not self.fits(v, n.valid):
            if any(x == UNKNOWN for x in n.valid) or any(x is not None for x in v.valid):
                return False
            n = make('fill', n, v=self.literal(v.t))
        self.block.append(Assign([v.name], [n]))
        self.assigned(v, n.valid)
        return True

    def do_swap(self, depth):
        for v in self.mutable():
            for w in self.mutable():
                if v is not w and (v.t, v.shape) == (w.t, w.shape):
                    a, b = w.node(), self.expr(v.t, v.shape, 1) if self.maybe(0.3) else v.node()
                    if self.fits(v, a.valid) and self.fits(w, b.valid):
                        self.block.append(Assign([v.name, w.name], [a, b]))
                        self.assigned(v, a.valid)
                        self.assigned(w, b.valid)
                        return True
        return False

    def do_if(self, depth):
        if depth <= 0:
            return False
        cond = self.expr('bool', (), 2)
        arms = []
        for arm in range(2 if self.maybe(0.5) else 1):
            before = self.open()
            self.statements(self.rng.randrange(1, 3), depth - 1)
            arms.append(self.close(before))
        if arms[0]:
            self.block.append(If(cond, *arms))
        return bool(arms[0])

    def in_loop(self, depth, index=None):
        """The statements of a loop; what some variables hold of padding is then not known, but for those that a loop
        around this one carries: it was relied on at its head."""
        for v in self.names:
            if v.mut and self.maybe(0.5) and v.level >= self.inner:
                v.valid = [UNKNOWN] * len(v.valid)
        before, outer = self.open(), self.inner
        self.loops += 1
        self.inner = self.level
        if index:
            self.indices.append(index)
        self.statements(self.rng.randrange(1, 4), depth - 1)
        if index:
            self.indices.pop()
        self.loops -= 1
        self.inner = outer
        return self.close(before)

    def do_for(self, depth):
        if depth <= 0 or self.loops >= 2:
            return False
        k = f'k{self.number()}'
        r = self.rng.random()
        lo, step, index = number(0), 1, Index(k)
        if r < 0.5 and self.dims:
            d, e = self.rng.choice(list(self.dims)), self.extent(())
            self.dims[d].add(e)
            hi = make('binary', make('extent', name=d), number(e), f='ceil') if self.maybe(0.9) else make('extent', name=d)
            index = Index(k, d, e if hi.op == 'binary' else 1)
        elif r < 0.8:
            lo, hi = number(self.rng.choice((0, 1, 3))), number(self.rng.choice((0, 2, 4, 5)))
            step = self.rng.choice((1, 1, 2))
        elif r < 0.9:
            lo, hi, step = number(self.rng.choice((3, 4))), number(self.rng.choice((0, 4))), -1
        else:
            hi = self.leaf_parameter('i32', ()) or number(3)
        body = self.in_loop(depth, index)
        if body:
            self.block.append(For(k, lo, hi, step, body, unroll=self.rng.choice((0, 0, 0, 2, 3))))
        return bool(body)

    def do_static(self, depth):
        if depth <= 0 or self.loops >= 2:
            return False
        k = f'k{self.number()}'
        body = self.in_loop(depth, Index(k))
        if any(isinstance(s, Leave) for s in outside_loops(body)):
            return False
        if body:
            self.block.append(For(k, number(0), number(self.rng.choice((1, 2, 3))), 1, body, static=True))
        return bool(body)

    def do_while(self, depth):
        if depth <= 0 or self.loops >= 2:
            return False
        c = f'c{self.number()}'
        last = self.leaf_parameter('i32', ()) if self.maybe(0.4) else make('lit', v=self.rng.choice((1, 3, 4)), t='i32')
        last = last or make('lit', v=2, t='i32')
        body = self.in_loop(depth)
        if body:
            self.block.append(While(c, self.rng.choice((0, 0, 2, -1)), last, body))
        return bool(body)

    def do_leave(self, depth):
        if not self.loops or self.level < 1 or self.maybe(0.3):
            return False
        word = self.rng.choice(('break', 'continue'))
        self.block.append(Leave(self.expr('bool', (), 1), word))
        return True

    def do_store(self, depth):
        outs = [p for p in self.program.params if p.owned() and not p.opt]
        if not outs:
            return False
        y = self.rng.choice(outs)
        shape = make('part', param=y).shape
        if not shape:
            return False
        if self.maybe(0.25) and all(isinstance(d, int) for d in shape):
            view = self.owned_view(y)
            left = list(zip(shape, view + [None] * len(shape)))
            shape = tuple(d if e is None else e[3] for d, e in left if e is None or e[0] != 'at')
            self.block.append(Store(Source(y, view), self.expr(y.t, shape, 2)))
            return True
        n = self.expr(y.t, shape, 2)
        mask = self.expr('bool', self.smaller(shape), 1) if self.maybe(0.4) else None
        if mask is not None and mask.shape != shape:
            mask = make('stretch', mask, shape=shape)
        if self.maybe(0.25) and all(isinstance(d, int) for d in shape):
            shape = tuple(self.rng.choice([d, 1, max(d // 2, 1)]) for d in shape)
            self.block.append(Store(Source(y), self.expr(y.t, shape, 1), 'put', [self.any_index() for _ in shape]))
            return True
        self.block.append(Store(Source(y), n, mask=mask))
        return True

    def do_assert(self, depth):
        """Of something that always holds."""
        t = self.rng.choice([p for p in self.palette if V.is_int(p)] or ['i32'])
        shape = self.some_shape()
        a = self.clear(t, shape, None, 2)
        b = self.expr(t, shape, 1) if shape and a.valid.count(None) < len(shape) else self.clear(t, shape, None, 1)
        n = make('binary', make('binary', a, b, f='min'), a, f='le')
        if any(v == UNKNOWN for v in n.valid):
            return False
        self.block.append(Assert(n, f'at most {self.number()}'))
        return True

    def do_there(self, depth):
        have = [p for p in self.program.params if p.opt and p.kind == 'in']
        if not have or depth <= 0:
            return False
        before = self.open()
        self.statements(self.rng.randrange(1, 3), depth - 1)
        block = self.close(before)
        if block:
            self.block.append(IfThere(have[0], block))
        return bool(block)


def outside_loops(block):
    """The statements of a block and of its ifs."""
    for s in block:
        yield s
        if not isinstance(s, (For, While)):
            for b in s.blocks:
                yield from outside_loops(getattr(s, b))


def make_program(name, seed):
    return Maker(name, seed).program_of()
