"""expressions.py -- random expressions of a given type and shape, well-typed by construction"""
import math
import value as V
import weights as W
from fold_ops import LAMBDAS, NAMED_TYPES, summed_type
from leaves import Leaves
from node import UNKNOWN, make

ROUNDED = ('exp', 'exp2', 'expm1', 'log', 'log2', 'log1p', 'rsqrt', 'sin', 'cos', 'tanh', 'sinh', 'cosh', 'erf', 'sigmoid')
EXACT = ('neg', 'abs', 'sign', 'floor', 'ceil', 'trunc', 'round', 'sqrt')
INT_BINARY = ('add', 'sub', 'mul', 'div', 'rem', 'and', 'or', 'xor', 'shl', 'shr', 'floordiv', 'mod', 'ceildiv', 'max', 'min')
FLOAT_BINARY = ('add', 'add', 'sub', 'sub', 'mul', 'mul', 'div', 'max', 'min', 'maxnum', 'minnum')
MMA = {'f32': [('f16', 'f16'), ('bf16', 'bf16'), ('f32', 'f32'), ('tf32', 'tf32'), ('f8e4m3', 'f8e4m3'), ('f8e4m3', 'f8e5m2')],
       'f64': [('f64', 'f64')], 'i32': [('i8', 'i8'), ('u8', 'u8'), ('i8', 'u8'), ('u8', 'i8')], 'f16': [('f16', 'f16')]}


def count(shape):
    return math.prod(d if isinstance(d, int) else 64 for d in shape)


def static(shape):
    return all(isinstance(d, int) for d in shape)


class Expressions(Leaves):
    """expr and the productions that it takes; each gives a node of type t and that shape, or None."""

    def expr(self, t, shape, depth):
        shape = tuple(shape)
        if depth <= 0:
            return self.leaf(t, shape)
        left = dict(self.chances)
        while left:
            what = self.pick(left)
            n = getattr(self, 'make_' + what)(t, shape, depth - 1)
            if n is not None:
                assert (n.t, n.shape) == (t, shape), (what, n.t, n.shape, t, shape)
                self.seen[what] = self.seen.get(what, 0) + 1
                return n
            del left[what]
        return self.leaf(t, shape)

    def clear(self, t, shape, axes, depth):
        """An expression whose valid part along some axes (None: all) is known."""
        for attempt in range(2):
            n = self.expr(t, shape, depth if attempt == 0 else 0)
            if all(v != UNKNOWN for a, v in enumerate(n.valid) if axes is None or a in axes):
                return n
        return make('full', t=t, shape=tuple(shape), v=self.plain(t))

    def data(self, t, shape, depth):
        """An expression without padding."""
        n = self.clear(t, shape, None, depth)
        return n if all(v is None for v in n.valid) else make('fill', n, v=self.literal(t))

    def smaller(self, shape):
        """A shape that stretches to this one."""
        if self.maybe(0.5):
            return shape
        cut = shape[self.rng.randrange(len(shape) + 1):] if self.maybe(0.5) else shape
        return tuple(1 if self.maybe(0.25) else d for d in cut)

    def other_type(self, t):
        return self.rng.choice([p for p in self.palette if p != t] or [t])

    def make_leaf(self, t, shape, depth):
        return self.leaf(t, shape)

    def make_binary(self, t, shape, depth):
        if t in V.NARROW:
            return None
        f, kind = None, t
        if t == 'bool':
            f = self.rng.choice(('land', 'lor', 'and', 'or', 'xor', 'eq', 'ne', 'lt', 'le', 'gt', 'ge'))
            if f in V.COMPARE:
                kind = self.rng.choice([p for p in self.palette if p not in V.NARROW])
                if kind == 'bool' and f not in ('eq', 'ne'):
                    kind = 'i32'
        elif V.is_int(t):
            f = self.rng.choice(INT_BINARY)
        else:
            f = self.rng.choice(FLOAT_BINARY)
            if f == 'div' and not self.real:
                f = 'mul'
        return self.two(f, kind, shape, depth)

    def two(self, f, t, shape, depth):
        """f of two operands that stretch to the shape; one may be a literal."""
        if self.maybe(0.25) and t != 'bool':
            a = self.expr(t, shape, depth)
            v = self.literal(t)
            if a.op in ('lit', 'full') or f in ('shl', 'shr') and not 0 <= v < 100:
                v = None
            if v is not None and f not in ('max', 'min'):
                return make('binary', a, make('lit', v=v, t=t, bare=True), f=f)
        small = self.smaller(shape)
        a, b = self.expr(t, shape, depth), self.expr(self.count_type(t) if f in ('shl', 'shr') else t, small, depth)
        if self.maybe(0.5) and f not in ('shl', 'shr'):
            a, b = b, a
        return make('binary', a, b, f=f)

    def count_type(self, t):
        ints = [p for p in self.palette if V.is_int(p)]
        return self.rng.choice(ints + [t])

    def make_unary(self, t, shape, depth):
        if t == 'bool':
            kinds = [p for p in self.palette if p in V.ARITH]
            if kinds and self.maybe(0.3):
                return make('unary', self.expr(self.rng.choice(kinds), shape, depth), f=self.rng.choice(('isnan', 'isinf')))
            return make('unary', self.expr(t, shape, depth), f='not')
        if V.is_int(t):
            return make('unary', self.expr(t, shape, depth), f=self.rng.choice(('neg', 'not', 'abs', 'sign')))
        if t in V.ARITH:
            f = self.rng.choice(ROUNDED + EXACT if self.real else EXACT[:-1])
            return make('unary', self.expr(t, shape, depth), f=f)
        return None

    def make_cast(self, t, shape, depth):
        source = self.other_type(t)
        if source == t and t not in V.NARROW:
            return None
        if t in V.NARROW and source in V.NARROW + ('bool',):
            source = 'f32'
        if source == 'bool' and V.is_float(t) and t in V.NARROW:
            source = 'f32'
        return make('cast', self.expr(source, shape, depth), t=t)

    def make_round(self, t, shape, depth):
        """To an integer or a narrower float, another way than a cast."""
        wider = {'f16': ('f32', 'f64'), 'f32': ('f64',)}.get(t, V.ARITH if V.is_int(t) else ())
        have = [p for p in self.palette if p in wider]
        if not have:
            return None
        mode = self.rng.choice(('rn', 'rz', 'ru', 'rd'))
        return make('round', self.expr(self.rng.choice(have), shape, depth), t=t, mode=mode)

    def make_bitcast(self, t, shape, depth):
        if not V.is_int(t):
            return None
        same = [p for p in V.INTS if p != t and V.bits(p) == V.bits(t)]
        if not self.real and V.bits(t) >= 32 and not self.special:
            same.append(f'f{V.bits(t)}')
        source = self.rng.choice(same)
        n = self.expr(source, shape, depth)
        return make('bitcast', n, t=t)

    def make_select(self, t, shape, depth):
        if t in V.NARROW:
            return None
        c = self.expr('bool', self.smaller(shape), depth)
        a, b = self.expr(t, shape, depth), self.expr(t, self.smaller(shape), depth)
        return make('select', c, a, b)

    def make_cond(self, t, shape, depth):
        c = self.expr('bool', (), depth - 1)
        return make('cond', c, self.expr(t, shape, depth), self.expr(t, shape, depth))

    def make_there(self, t, shape, depth):
        """b ? b.load_like(y) : .. of an optional tensor."""
        if self.closed:
            return None
        have = [p for p in self.program.params if p.opt and p.t == t and p.kind == 'in']
        self.rng.shuffle(have)
        for p in have:
            a = self.like_of(p, shape)
            if a is not None:
                return make('there', a, self.leaf(t, shape), name=p.name)
        return None

    def make_fma(self, t, shape, depth):
        if t not in V.ARITH:
            return None
        a = [self.expr(t, shape, depth)] + [self.expr(t, self.smaller(shape), depth - 1) for _ in range(2)]
        return make('fma', *a)

    def make_clamp(self, t, shape, depth):
        if t == 'bool' or t in V.NARROW:
            return None
        return make('clamp', self.expr(t, shape, depth), self.expr(t, (), 0), self.expr(t, (), 0))

    # ---- reductions ----

    def consumed(self, shape):
        """(shape of the operand, its axes or None, keepdims) of a reduction that gives this shape."""
        if len(shape) and 1 in shape and self.maybe(0.4):
            axes = [a for a, d in enumerate(shape) if d == 1]
            axes = self.rng.sample(axes, self.rng.randrange(1, len(axes) + 1))
            return tuple(self.extent(shape) if a in axes else d for a, d in enumerate(shape)), sorted(axes), True
        big = list(shape)
        axes = []
        for _ in range(self.rng.choice((1, 1, 1, 2))):
            if len(big) >= 4:
                break
            at = self.rng.randrange(len(big) + 1)
            axes = [a + (a >= at) for a in axes] + [at]
            big.insert(at, self.whole_axis(big) or self.extent(big))
        axes = sorted(axes)
        if len(axes) == len(big) and self.maybe(0.5):
            return tuple(big), None, False
        if axes and self.maybe(0.2):
            axes = [a - len(big) for a in axes]
        return tuple(big), axes, False

    def folded(self, shape):
        big, axes, keep = self.consumed(shape)
        if count(big) > W.MOST or not big or axes == []:
            return None
        used = None if axes is None else {a % len(big) for a in axes}
        return big, axes, keep, used

    def make_reduce(self, t, shape, depth):
        options = []
        for f, result in NAMED_TYPES.items():
            if f in ('any', 'all'):
                options += [(f, 'bool')] if t == 'bool' else []
            elif f in ('argmax', 'argmin'):
                options += [(f, p) for p in self.palette if p not in V.NARROW + ('bool',)][:2] if t == 'i32' else []
            elif f in ('sum', 'prod'):
                options += [(f, p) for p in self.palette + ['bool'] if p not in V.NARROW and summed_type(p) == t]
            elif t in V.ARITH or V.is_int(t) and f in ('max', 'min'):
                options.append((f, t))
        shapes = self.folded(shape)
        if not options or shapes is None:
            return None
        f, kind = self.rng.choice(options)
        big, axes, keep, used = shapes
        if f in ('argmax', 'argmin') and (used is None and len(big) > 1 or used is not None and len(used) > 1):
            return None
        if f == 'mean' and not self.real or f == 'prod' and not V.is_int(kind) and kind != 'bool' and not self.real:
            f = 'sum'
        return make('reduce', self.clear(kind, big, used, depth), f=f, axes=axes, keepdims=keep)

    def lambda_of(self, t):
        names = [f for f, rule in LAMBDAS.items() if t in rule[0]]
        return self.rng.choice(names) if names else None

    def make_fold(self, t, shape, depth):
        f, shapes = self.lambda_of(t), self.folded(shape)
        if f is None or shapes is None:
            return None
        big, axes, keep, used = shapes
        return make('fold', self.clear(t, big, used, depth), f=f, axes=axes, keepdims=keep)

    def make_scan(self, t, shape, depth):
        if not shape:
            return None
        axis = self.rng.randrange(len(shape))
        back = self.maybe(0.3)
        if V.is_int(t) and self.maybe(0.5):
            word = self.rng.choice(('cumsum', 'cumprod'))
            kinds = [p for p in self.palette + ['bool'] if not V.is_float(p) and summed_type(p) == t]
            if kinds:
                n = self.clear(self.rng.choice(kinds), shape, {axis}, depth)
                return make('scan', n, f='add' if word == 'cumsum' else 'mul', word=word, axis=axis, reverse=back)
        f = self.lambda_of(t)
        return make('scan', self.clear(t, shape, {axis}, depth), f=f, axis=axis, reverse=back) if f else None

    def make_sort(self, t, shape, depth):
        axes = [a for a, d in enumerate(shape) if isinstance(d, int)]
        if t == 'bool' or t in V.NARROW or not axes:
            return None
        axis = self.rng.choice(axes)
        return make('sort', self.clear(t, shape, {axis}, depth), axis=axis, say=axis < len(shape) - 1 or self.maybe(0.5))

    def make_topk(self, t, shape, depth):
        axes = [a for a, d in enumerate(shape) if isinstance(d, int)]
        if t == 'bool' or t in V.NARROW or not axes or self.closed:
            return None
        axis = self.rng.choice(axes)
        k = shape[axis]
        big = shape[:axis] + (k + self.rng.choice((0, 1, 3, 8)),) + shape[axis + 1:]
        kind = self.rng.choice([p for p in self.palette if p not in V.NARROW + ('bool',)] or ['i32']) if t == 'i32' else t
        if count(big) > W.MOST:
            return None
        n = self.clear(kind, big, {axis}, depth)
        both = [make('topk', n, k=k, axis=axis, what=w) for w in (0, 1)]
        names = self.pair(both)
        which = 0 if kind == t and self.maybe(0.6) else 1
        if both[which].t != t:
            which = 1 - which
        return make('name', name=names[which], t=t, shape=shape, valid=both[which].valid) if both[which].t == t else None

    def make_histogram(self, t, shape, depth):
        kinds = [p for p in self.palette if V.is_int(p)]
        if t != 'i32' or len(shape) != 1 or not static(shape) or not kinds:
            return None
        big = (self.extent(()), self.extent(()))[:self.rng.randrange(1, 3)]
        return make('histogram', self.clear(self.rng.choice(kinds), big, None, depth), bins=shape[0])

    # ---- moves ----

    def make_permute(self, t, shape, depth):
        if len(shape) < 2:
            return None
        order = list(range(len(shape)))
        self.rng.shuffle(order)
        if self.maybe(0.4):
            order = list(range(len(shape) - 2)) + [len(shape) - 1, len(shape) - 2]
        before = [None] * len(shape)
        for i, o in enumerate(order):
            before[o] = shape[i]
        word = self.rng.choice(('t', 'transpose', None))
        return make('permute', self.expr(t, tuple(before), depth), order=order, word=word)

    def make_reshape(self, t, shape, depth):
        if not static(shape):
            return None
        n, big = count(shape), []
        while n > 1 and len(big) < 3:
            d = self.rng.choice([d for d in range(1, n + 1) if n % d == 0])
            big.append(d)
            n //= d
        big.append(n)
        self.rng.shuffle(big)
        return make('reshape', self.data(t, tuple(big), depth), shape=shape)

    def make_cat(self, t, shape, depth):
        axes = [a for a, d in enumerate(shape) if isinstance(d, int) and d > 1]
        if not axes:
            return None
        axis = self.rng.choice(axes)
        first = self.rng.randrange(1, shape[axis])
        piece = lambda d: self.expr(t, shape[:axis] + (d,) + shape[axis + 1:], depth)
        return make('cat', piece(first), piece(shape[axis] - first), axis=axis)

    def make_extract(self, t, shape, depth):
        if not shape:
            return None
        big, at, extra = [], [], []
        for d in shape:
            if not isinstance(d, int):
                return None
            big.append(d * self.rng.choice((1, 1, 2, 3)) + (self.rng.randrange(d) if self.maybe(0.2) else 0))
            pieces = big[-1] // d
            late = self.leaf_parameter('i32', ()) if self.maybe(0.25) else None
            if late:
                at.append(None)
                extra.append(late)
            else:
                at.append(self.rng.randrange(pieces))
        if count(big) > W.MOST:
            return None
        return make('extract', self.expr(t, tuple(big), depth), *extra, at=at, piece=shape)

    def make_split(self, t, shape, depth):
        axes = [a for a, d in enumerate(shape) if isinstance(d, int)]
        if not axes or self.closed:
            return None
        axis, n = self.rng.choice(axes), self.rng.choice((2, 2, 3))
        big = shape[:axis] + (n * shape[axis],) + shape[axis + 1:]
        if count(big) > W.MOST or not static(shape):
            return None
        whole = self.expr(t, big, depth)
        parts = [make('extract', whole, at=[c if a == axis else 0 for a in range(len(shape))], piece=shape)
                 for c in range(n)]
        names = self.pair(parts, ('split', whole, n, axis))
        which = self.rng.randrange(n)
        return make('name', name=names[which], t=t, shape=shape, valid=parts[which].valid)

    def make_flip(self, t, shape, depth):
        if not shape:
            return None
        axes = sorted(self.rng.sample(range(len(shape)), self.rng.randrange(1, min(len(shape), 2) + 1)))
        return make('flip', self.expr(t, shape, depth), axes=axes)

    def make_expand(self, t, shape, depth):
        ones = [a for a, d in enumerate(shape) if d == 1]
        if not ones:
            return None
        axis = self.rng.choice(ones)
        return make('expand', self.expr(t, shape[:axis] + shape[axis + 1:], depth), axis=axis)

    def make_squeeze(self, t, shape, depth):
        if len(shape) >= 4:
            return None
        axis = self.rng.randrange(len(shape) + 1)
        return make('squeeze', self.expr(t, shape[:axis] + (1,) + shape[axis:], depth), axis=axis)

    def make_stretch(self, t, shape, depth):
        if not shape:
            return None
        return make('stretch', self.expr(t, self.smaller(shape), depth), shape=shape)

    # ---- padding ----

    def make_fill(self, t, shape, depth):
        if not shape or t in V.NARROW:
            return None
        return make('fill', self.clear(t, shape, None, depth), v=self.literal(t))

    def make_keep(self, t, shape, depth):
        axes = [a for a, d in enumerate(shape) if isinstance(d, int) and d > 1]
        if not axes:
            return None
        axis = self.rng.choice(axes)
        n = self.clear(t, shape, {axis}, depth)
        return make('keep', n, self.bound(shape[axis]), self.bound(shape[axis]), axis=axis)

    def make_valid(self, t, shape, depth):
        if t != 'bool' or not shape:
            return None
        return make('valid', self.clear(self.rng.choice(self.palette), shape, None, depth))

    # ---- others ----

    def make_mma(self, t, shape, depth):
        if len(shape) < 2 or t not in MMA or not static(shape):
            return None
        a, b = self.rng.choice(MMA[t])
        deep = self.extent((shape[-2], shape[-1]))
        if (shape[-2] | shape[-1]) % 16 == 0 and t in ('f32', 'f16') and self.maybe(0.7):     # tensor cores take it
            a = b = self.rng.choice(('f16', 'bf16', 'tf32')[:3 if t == 'f32' else 1])
            deep = self.pick(W.SIXTEENS)
        if count(shape) * deep > 8 * W.MOST:
            return None
        lead = shape[:-2]
        other = lead if self.maybe(0.5) else lead[1:] if self.maybe(0.5) else tuple(1 for _ in lead)
        x = self.clear(a, lead + (shape[-2], deep), {len(lead) + 1}, depth)
        y = self.clear(b, other + (deep, shape[-1]), {len(other)}, depth)
        if x.valid[-1] is not None and y.valid[-2] is not None and x.valid[-1].key != y.valid[-2].key:
            y = make('full', t=b, shape=y.shape, v=1) if b not in V.NARROW else None
        if y is None:
            return None
        acc = [self.expr(t, self.smaller(shape), depth)] if self.maybe(0.5) or t == 'f16' else []
        return make('mma', x, y, *acc, t=t)

    def make_random(self, t, shape, depth):
        if t != 'u32':
            return None
        return make('random', self.expr('u64', shape, depth), seed=self.rng.choice((0, 42, 2**63 + 5)))

    def make_gather(self, t, shape, depth):
        return self.gather_of(t, shape, depth)

    def make_call(self, t, shape, depth):
        """A fn of one to three parameters whose body sees those alone."""
        if self.closed or t in V.NARROW or not static(shape):
            return None
        args = [self.expr(t, shape, depth)]
        for _ in range(self.rng.randrange(3)):
            kind = self.rng.choice([p for p in self.palette if p not in V.NARROW])
            args.append(self.expr(kind, self.smaller(shape), depth - 1))
        name, params = f'fn_{self.program.name}_{self.number()}', ['abc'[i] for i in range(len(args))]
        with self.only([make('name', name=p, t=a.t, shape=a.shape, valid=a.valid) for p, a in zip(params, args)]):
            body = self.expr(t, shape, 2)
        return make('call', *args, name=name, params=params, body=body)
