"""launch.py -- random launches of a program: extents around every tile, layouts, data; all by seed"""
import math
import random
import zlib
import numpy as np
import inputs
import value as V
import weights as W
from memory import Arena, Tensor
from memory_ops import dim_value
from kernel import Env
from number import decode

LAYOUTS = ('plain', 'plain', 'shifted', 'apart', 'odd')


class Launch:
    def __init__(self, extents, scalars, absent, how, seed):
        self.extents, self.scalars, self.absent, self.how, self.seed = extents, scalars, absent, how, seed

    def text(self):
        words = [f'{k}={v}' for k, v in {**self.extents, **self.scalars}.items()]
        return ' '.join(words + [f'without {a}' for a in sorted(self.absent)] + [self.how, f'data {self.seed}'])


def scalar_of(rng, t, real):
    if V.is_float(t):
        return round(rng.normalvariate(0, 2), 3) if real and t in ('f32', 'f64') else rng.choice((0.0, 1.0, -1.0, 2.0, 0.5))
    return rng.choice((0, 1, 2, 3, 5)) if t[0] == 'u' or rng.random() < 0.7 else rng.choice((-1, -2, -7))


def extent_of(rng, tiles, long, rounds=False):
    if long and not tiles:
        return rng.choice((255, 257, 1000, 1025, 4099))
    if rng.random() < 0.04:
        return 0
    if not tiles or rng.random() < 0.2:
        return rng.choice((1, 2, 3, 5, 7, 13, 16, 31, 33, 64))
    t = rng.choice(sorted(tiles))
    if rounds and rng.random() < 0.6:
        return max(rng.choice((3 * t, 4 * t, 4 * t + 8, 5 * t - 8, 6 * t, 6 * t + 1)), 1)
    return max(rng.choice((1, t - 1, t, t + 1, 2 * t, 2 * t + 1, rng.randrange(1, 2 * t + 2))), 1)


def launches_of(program, seed, count):
    """That many launches that are small enough to be told in NumPy."""
    rng = random.Random(seed)
    out = []
    for number in range(count):
        long = rng.random() < W.LONG
        for attempt in range(30):
            extents = {d: extent_of(rng, tiles, long and attempt < 8, d in program.rounds) for d, tiles in program.dims.items()}
            if attempt > 12:
                extents = {d: min(n, 3) for d, n in extents.items()}
            extents.update({d: -(-extents[d] // n) * n for d, n in program.multiples.items()})
            if small_enough(program, extents):
                break
        absent = {p.name for p in program.params if p.opt and rng.random() < 0.5}
        scalars = {n: scalar_of(rng, t, program.real) for n, t in program.scalars}
        how = rng.choice(LAYOUTS) if number else 'plain'
        out.append(Launch(extents, scalars, absent, how, rng.randrange(1 << 30)))
    return out


def small_enough(program, extents):
    env = Env({}, extents, {}, {})
    sizes = [math.prod(dim_value(d, env) for d in p.dims) for p in program.params]
    programs = math.prod(program.axes(extents, set()).values())
    if program.area * programs * max((extents[d] for d in program.rounds), default=64) > W.WORK:
        return False
    return max(sizes) <= 60000 and programs <= 40 and programs * math.prod(
        n for n in [max(extents.values(), default=1)]) < 30000


# ---- data ------------------------------------------------------------------------------------------


def data_of(program, p, shape, seed):
    """What a tensor holds: whole numbers so that sums are exact, unless the program is for real ones."""
    rng = np.random.default_rng(zlib.crc32(f'{p.name} {seed}'.encode()))
    if p.t == 'bool':
        return rng.integers(0, 2, shape)
    if V.is_int(p.t):
        if p.name == 'x1' or rng.random() < 0.6:
            return rng.integers(0 if p.t[0] == 'u' else -6, 12, shape)
        return inputs.any_int(rng, shape, p.t)
    if program.real:
        v = rng.normal(size=shape) * 2
    else:
        v = rng.integers(-3, 4, shape) * rng.choice((1.0, 1.0, 0.5))
    if program.special:
        pick = rng.integers(0, 12, shape)
        for k, s in enumerate((np.nan, np.inf, -np.inf, -0.0)):
            v = np.where(pick == k, s, v)
    return v


class Arg:
    """What memory.py wants to know of a parameter."""

    def __init__(self, p, absent):
        self.name, self.type, self.strided, self.opt = p.name, p.t, p.strided, p.opt
        self.out = p.kind != 'in'
        self.inout = p.kind in ('atomic', 'scatter') or self.out and (p.read or not getattr(p, 'covered', False))
        self.once = p.kind == 'scatter'


class Setup:
    """The arguments of a launch, in an arena; what the outputs should hold is told by expected."""

    def __init__(self, program, launch):
        self.program, self.launch, self.how = program, launch, launch.how
        env = Env({}, launch.extents, {}, {})
        self.tensors = {}
        for p in program.params:
            if p.name not in launch.absent:
                shape = [dim_value(d, env) for d in p.dims]
                self.tensors[p.name] = Tensor(Arg(p, launch.absent), p.t, shape, launch.how)
        self.arena = Arena(list(self.tensors.values()))
        for p in program.params:
            t = self.tensors.get(p.name)
            if t is not None:
                data = None
                if not t.arg.out or t.arg.inout:
                    data = data_of(program, p, tuple(t.shape), launch.seed)
                self.arena.fill(t, data)
        self.start = self.arena.copy()

    def renew(self):
        self.arena.put_back(self.start)

    def expected(self):
        """name -> Value of each output."""
        arrays = {p.name: None for p in self.program.params}
        for name, t in self.tensors.items():
            arrays[name] = V.Value(decode(t.type, self.arena.read(t)), t.type)
        self.program.run(self.launch, arrays)
        return {n: arrays[n] for n, t in self.tensors.items() if t.arg.out}


def difference(name, t, raw, want):
    """None, or where an output first is not what it should be."""
    got = decode(t, raw)
    if t == 'bool':
        got, bad = raw != 0, raw > 1
        if bad.any():
            return f'{name} holds {raw[bad][0]} for a bool'
    if V.is_float(t):
        e = want.err()
        ok = (np.isnan(got) & np.isnan(want.v)) | (got == want.v) | (np.abs(got - want.v) <= e) | (e == np.inf)
        ok |= (e > 0) & (got == V.round_to(t, want.v))
    else:
        ok = (got == want.v) | (want.err() > 0)
    if ok.all():
        return None
    at = tuple(int(i) for i in np.argwhere(~ok)[0])
    allowed = f' (allowed {want.err()[at]:.3g})' if want.e is not None else ''
    return f'{name}{list(at)} is {got[at]!r}, not {want.v[at]!r}{allowed}; {np.sum(~ok)} of {ok.size} wrong'
