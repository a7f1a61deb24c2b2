"""kernel.py -- parameters, statements, whole programs: their text, and what they do in NumPy"""
import itertools
import numpy as np
import value as V
from memory_ops import Region, Source, coordinates, dim_text, dim_value, grid_of, places_text
from node import LEFT, fn_text, mask_of, sizes, text, value
from value import Value


STEPS = 4000                  # nodes of one launch


class Param:
    """A tensor. kind: in, out (written by its owner), atomic, scatter (without `by`). by: an entry an axis,
    ('tile', axis, B), ('one', axis), ('whole',) or ('region',)."""

    def __init__(self, name, t, dims, kind='in', by=(), strided=False, opt=False):
        self.name, self.t, self.dims, self.kind = name, t, list(dims), kind
        self.by, self.strided, self.opt = list(by), strided, opt
        self.style = 'small'      # of its data: see launch.py

    def owned(self):
        return self.kind == 'out'

    def part_dims(self):
        if not self.owned():
            return self.dims
        return [d for d, e in zip(self.dims, self.by) if e[0] != 'one']

    def text(self):
        dims = ', '.join(map(dim_text, self.dims))
        tensor = f'tensor<{self.t}, [{dims}]{", strided" if self.strided else ""}>{"?" if self.opt else ""}'
        if self.kind == 'in':
            return f'{self.name}: &{tensor}'
        if self.kind in ('atomic', 'scatter'):
            return f'{self.name}: &{"atomic" if self.kind == "atomic" else "mut"} {tensor}'
        word = {'tile': lambda e, d: f'{e[1]}: {e[2]}', 'one': lambda e, d: f'{e[1]}:',
                'whole': lambda e, d: dim_text(d), 'region': lambda e, d: '_'}
        by = ', '.join(word[e[0]](e, d) for e, d in zip(self.by, self.dims))
        return f'{self.name}: &mut {tensor} by [{by}]'


class Env:
    """One program: its names, the extents, the arrays, the part of each output."""

    def __init__(self, names, extents, arrays, parts):
        self.names, self.extents, self.arrays, self.parts = names, extents, arrays, parts

    def inside(self, names):
        return Env({**self.names, **names}, self.extents, self.arrays, self.parts)


class Break(Exception):
    pass


class Continue(Exception):
    pass


class Return(Exception):
    pass


def frozen(x):
    return Value(x.v.copy(), x.t, x.e)


# ---- statements ------------------------------------------------------------------------------------


class Statement:
    """exprs: the names of the fields that hold a node; blocks: of those that hold statements."""
    exprs, blocks = (), ()


class Let(Statement):
    exprs = ('node',)

    def __init__(self, name, node, mut=False, typed=False):
        self.name, self.node, self.mut, self.typed = name, node, mut, typed

    def lines(self):
        kind = f': {self.node.t}' if self.typed and not self.node.shape else ''
        return [f'let {"mut " if self.mut else ""}{self.name}{kind} = {text(self.node)};']

    def run(self, env):
        env.names[self.name] = frozen(value(self.node, env))


class LetPair(Statement):
    """let (a, b) = topk(..); or split into two: the nodes are what each is, the first has the text."""
    exprs = ()

    def __init__(self, names, nodes, how=None):
        self.names, self.nodes, self.how = names, nodes, how

    def lines(self):
        return [f'let ({", ".join(self.names)}) = {self.how() if self.how else text(self.nodes[0])};']

    def run(self, env):
        for name, n in zip(self.names, self.nodes):
            env.names[name] = frozen(value(n, env))


class Assign(Statement):
    """x = node; of several names at once; or x += node."""
    exprs = ()

    def __init__(self, names, nodes, sign=''):
        self.names, self.nodes, self.sign = list(names), list(nodes), sign

    def lines(self):
        if len(self.names) > 1:
            return [f'({", ".join(self.names)}) = ({", ".join(map(text, self.nodes))});']
        return [f'{self.names[0]} {self.sign}= {text(self.nodes[0])};']

    def run(self, env):
        new = [value(n, env) for n in self.nodes]
        for name, x in zip(self.names, new):
            old = env.names[name]
            if self.sign:
                x = V.binary({'+': 'add', '-': 'sub', '*': 'mul', '&': 'and', '|': 'or', '^': 'xor'}[self.sign], old, x)
            env.names[name] = frozen(x.map(lambda v: np.broadcast_to(v, old.shape)))


class Store(Statement):
    """word store: at None (the whole part) or the index of a piece; word put: by element."""
    exprs = ('node',)

    def __init__(self, source, node, word='store', at=None, mask=None):
        self.source, self.node, self.word, self.at, self.mask = source, node, word, at, mask

    def lines(self):
        at = f', [{", ".join(map(text, self.at))}]' if self.at is not None else ''
        mask = f', mask = {text(self.mask)}' if self.mask is not None else ''
        return [f'{self.source.text()}.{self.word}({text(self.node)}{at}{mask});']

    def run(self, env):
        x = value(self.node, env)
        region = Region(env, self.source)
        mask = value(self.mask, env) if self.mask is not None else None
        if self.at is None:
            shape = self.shape(env, region)
            starts = [0] * len(shape)
        else:
            shape = x.shape
            starts = [value(n, env).scalar() * (1 if self.word == 'put' else s) for n, s in zip(self.at, shape)]
        x = x.map(lambda v: np.broadcast_to(v, shape))
        if mask is not None:
            mask = mask.map(lambda v: np.broadcast_to(v, shape))
        region.write(grid_of(starts, shape, [1] * len(shape)), x, mask)

    def shape(self, env, region):
        dims = []
        for a, (d, entry) in enumerate(self.source.axes()):
            if entry is not None:
                dims.append(entry[3])
                continue
            p = self.source.param
            by = [e for e in p.by if e[0] != 'one']
            left = [i for i in range(len(by)) if i >= len(self.source.view) or self.source.view[i] is None
                    or self.source.view[i][0] != 'at']
            e = by[left[a]]
            dims.append(e[2] if e[0] == 'tile' else dim_value(d, env))
        return tuple(dims)


class Scatter(Statement):
    """atomic_*, or unsafe scatter; places as in gather."""
    exprs = ('node',)

    def __init__(self, param, word, places, windows, node):
        self.param, self.word, self.places, self.windows, self.node = param, word, places, windows, node

    def lines(self):
        places = places_text([text(p) for p in self.places], dict(windows=self.windows))
        start = 'unsafe ' if self.param.kind == 'scatter' else ''
        return [f'{start}{self.param.name}.{self.word}({places}, {text(self.node)});']

    def run(self, env):
        a = [value(p, env) for p in self.places]
        if not V.known(*a):
            raise V.Unsure
        x = value(self.node, env)
        region = Region(env, Source(self.param))
        coords = coordinates(env, a, self.windows)
        index, inside = region.places(coords)
        shape = np.broadcast_shapes(inside.shape, x.shape, *(np.shape(i) for i in index))
        inside = np.broadcast_to(inside, shape)
        for p in self.places:
            if p.shape:
                m = np.broadcast_to(mask_of(p, env), sizes(p.shape, env))
                inside = inside & m.reshape(m.shape + (1,) * len(self.windows))
        off = len(shape) - len(x.shape)
        kept = {a for a, n in enumerate(x.shape) if n == shape[off + a]}        # what stretches is data (R5.22)
        inside = inside & mask_of(self.node, env, kept) if self.node.shape else inside
        index = tuple(np.broadcast_to(i, shape)[inside] for i in index)
        self.apply(region.array, index, np.broadcast_to(x.v, shape)[inside], np.broadcast_to(x.err(), shape)[inside])

    def apply(self, array, index, v, e):
        if self.word == 'scatter':
            array.v[index] = v
        else:
            f = dict(atomic_add=np.add, atomic_min=np.minimum, atomic_max=np.maximum, atomic_and=np.bitwise_and,
                     atomic_or=np.bitwise_or, atomic_xor=np.bitwise_xor)[self.word]
            f.at(array.v, index, v)
        if e.any():
            array.e = np.zeros(array.v.shape) if array.e is None else array.e
            np.maximum.at(array.e, index, np.where(e > 0, np.inf, 0))


class Block(Statement):
    """Something with statements inside, each on a line of its own."""

    @staticmethod
    def inner(block):
        return ['    ' + line for s in block for line in s.lines()]


class If(Block):
    exprs, blocks = ('cond',), ('then', 'other')

    def __init__(self, cond, then, other=()):
        self.cond, self.then, self.other = cond, list(then), list(other)

    def lines(self):
        out = [f'if {text(self.cond)} {{'] + self.inner(self.then)
        return out + (['} else {'] + self.inner(self.other) + ['}'] if self.other else ['}'])

    def run(self, env):
        for s in self.then if value(self.cond, env).scalar() else self.other:
            s.run(env)


class IfThere(Block):
    """if b { .. } of an optional tensor."""
    blocks = ('then',)

    def __init__(self, param, then):
        self.param, self.then = param, list(then)

    def lines(self):
        return [f'if {self.param.name} {{'] + self.inner(self.then) + ['}']

    def run(self, env):
        if env.arrays.get(self.param.name) is not None:
            for s in self.then:
                s.run(env)


class For(Block):
    """for k in lo..hi step s; static: written out."""
    exprs, blocks = (), ('body',)

    def __init__(self, name, lo, hi, step, body, static=False, unroll=0, stages=0):
        self.name, self.lo, self.hi, self.step, self.body = name, lo, hi, step, list(body)
        self.static, self.unroll, self.stages = static, unroll, stages

    def lines(self):
        step = f' step {self.step}' if self.step != 1 else ''
        word = 'static ' if self.static else ''
        out = [f'#[unroll({self.unroll})]'] if self.unroll else []
        out += [f'#[stages({self.stages})]'] if self.stages else []
        return out + [f'for {word}{self.name} in {text(self.lo)}..{text(self.hi)}{step} {{'] + self.inner(self.body) + ['}']

    def run(self, env):
        lo, hi = value(self.lo, env).scalar(), value(self.hi, env).scalar()
        for k in range(lo, hi, self.step):
            env.names[self.name] = Value(k, 'i64')
            try:
                for s in self.body:
                    s.run(env)
            except Continue:
                continue
            except Break:
                break


class While(Block):
    """let mut c = first; while c < last { c += 1; .. }"""
    exprs, blocks = (), ('body',)

    def __init__(self, name, first, last, body):
        self.name, self.first, self.last, self.body = name, first, last, list(body)

    def lines(self):
        return ([f'let mut {self.name} = {self.first};', f'while {self.name} < {text(self.last)} {{',
                 f'    {self.name} += 1;'] + self.inner(self.body) + ['}'])

    def run(self, env):
        c = self.first
        env.names[self.name] = Value(c, 'i32')
        while env.names[self.name].scalar() < value(self.last, env).scalar():
            c += 1
            env.names[self.name] = Value(c, 'i32')
            try:
                for s in self.body:
                    s.run(env)
            except Continue:
                continue
            except Break:
                break


class Assert(Statement):
    """assert(cond, "message"); it holds, so that nothing else happens."""
    exprs = ('node',)

    def __init__(self, node, message):
        self.node, self.message = node, message

    def lines(self):
        return [f'assert({text(self.node)}, "{self.message}");']

    def run(self, env):
        value(self.node, env)


class Leave(Statement):
    """if cond { break; }, continue or return."""
    exprs = ('cond',)

    def __init__(self, cond, word):
        self.cond, self.word = cond, word

    def lines(self):
        return [f'if {text(self.cond)} {{ {self.word}; }}']

    def run(self, env):
        if value(self.cond, env).scalar():
            raise {'break': Break, 'continue': Continue, 'return': Return}[self.word]


# ---- programs --------------------------------------------------------------------------------------


def nodes_of(statement):
    """The expressions that stand in a statement, itself only."""
    for f in statement.exprs:
        yield getattr(statement, f)
    for f in ('nodes', 'at', 'places'):
        yield from getattr(statement, f, None) or ()
    for f in ('mask', 'lo', 'hi', 'last'):
        if getattr(statement, f, None) is not None:
            yield getattr(statement, f)


def walk(block):
    for s in block:
        yield s
        for b in s.blocks:
            yield from walk(getattr(s, b))


def below(n):
    """A node and all of its operands, those of views and fns included."""
    yield n
    for a in n.args:
        yield from below(a)
    if n.op == 'call':
        yield from below(n.k['body'])
    for e in getattr(n.k.get('source'), 'view', ()):
        for x in (e or ())[1:]:
            if x is not None and not isinstance(x, int):
                yield from below(x)


class Program:
    def __init__(self, name):
        self.name, self.params, self.scalars, self.body = name, [], [], []
        self.grid = None          # [(axis, dim, tile)] of a kernel without `by`
        self.attribute = ''
        self.multiples = {}       # extents of which `where` says what divides them
        self.rounds, self.area = set(), 0          # extents that a loop of contractions goes along; elements of a result
        self.launches = []        # see launch.py

    def used(self):
        return [n for s in walk(self.body) for root in nodes_of(s) for n in below(root)]

    def text(self):
        fns, seen = [], set()
        for n in reversed(self.used()):
            if n.op == 'call' and n.k['name'] not in seen:
                seen.add(n.k['name'])
                fns.append(fn_text(n))
        params = [p.text() for p in self.params] + [f'{n}: {t}' for n, t in self.scalars]
        grid = ''
        if self.grid:
            grid = ' grid [' + ', '.join(f'{a}: ceil({dim_text(d)}, {b})' for a, d, b in self.grid) + ']'
        body = '\n'.join('    ' + line for s in self.body for line in s.lines())
        head = f'{self.attribute}\n' if self.attribute else ''
        states = ''.join(f'\n    where {d} % {n} == 0' for d, n in self.multiples.items())
        return '\n'.join(fns + [f'{head}kernel {self.name}(\n    ' + ',\n    '.join(params) + f'){grid}{states}\n{{\n{body}\n}}\n'])

    def axes(self, extents, absent):
        """name -> number of programs."""
        env = Env({}, extents, {}, {})
        out = {}
        for a, d, b in self.grid or ():
            out[a] = -(-dim_value(d, env) // b)
        for p in self.params:
            if p.kind == 'out':
                for d, e in zip(p.dims, p.by):
                    if e[0] in ('tile', 'one') and p.name not in absent:
                        n = -(-dim_value(d, env) // (e[2] if e[0] == 'tile' else 1))
                        out[e[1]] = max(out.get(e[1], 0), n)
        return out

    def run(self, launch, arrays):
        """All programs, one after another; arrays (name -> Value, None of what is absent) are changed."""
        axes = self.axes(launch.extents, launch.absent)
        LEFT[0] = STEPS
        for place in itertools.product(*(range(n) for n in axes.values())):
            at = dict(zip(axes, place))
            names = {a: Value(c, 'i64') for a, c in at.items()}
            names.update({n: V.of(launch.scalars[n], t) for n, t in self.scalars})
            env = Env(names, launch.extents, arrays, {})
            for p in self.params:
                if p.kind == 'out' and arrays[p.name] is not None:
                    env.parts[p.name] = [part_of(d, e, at, env) for d, e in zip(p.dims, p.by)]
            try:
                for s in self.body:
                    s.run(env)
            except Return:
                pass


def part_of(d, e, at, env):
    n = dim_value(d, env)
    if e[0] == 'tile':
        begin = at[e[1]] * e[2]
        return begin, min(max(n - begin, 0), e[2])
    if e[0] == 'one':
        return at[e[1]] if at[e[1]] < n else None
    return 0, n
