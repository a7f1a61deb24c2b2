"""cases_padded.py -- padding does not leak: each operation x each pad x each consumer, as written out here

A tile [4, 8] is loaded with a pad, one operation is applied, and what comes out is reduced in every
way and stored as it is. The reference has the same values, padding included, and the valid part as
an interval on each axis: language.md's rules by the letter. The kernels are written to build/.
"""
import os
import numpy as np
import build
from number import Number
from table import case, sizes

PADS = dict(zero='0.0', nan='nan', inf='inf', low='-inf', large='1e30')


class Tile:
    """Values in f32, padding included; the interval [lo, hi) of each axis; whether all is exact."""

    def __init__(self, v, valid, exact=True):
        self.v, self.valid, self.exact = np.asarray(v, np.float32), list(valid), exact

    def with_(self, v, exact=True):
        return Tile(v, self.valid, self.exact and exact)

    def mask(self, axes=None):
        inside = np.ones(self.v.shape, bool)
        for a, (lo, hi) in enumerate(self.valid):
            if axes is None or a in axes:
                at = np.arange(self.v.shape[a])
                shape = [1] * self.v.ndim
                shape[a] = -1
                inside &= ((at >= lo) & (at < hi)).reshape(shape)
        return inside

    def over(self, f, nothing, axis):
        """f along an axis, of what is valid there; `nothing` stands for the rest."""
        return f(np.where(self.mask([axis]), self.v.astype(np.float64), nothing), axis=axis, keepdims=True)


def same(f, exact=True):
    return lambda t, x: t.with_(f(t.v), exact)


def maximum(t, axis):
    return t.over(np.max, -np.inf, axis)


def filled(t, v):
    return Tile(np.where(t.mask(), t.v, np.float32(v)), [(0, n) for n in t.v.shape], t.exact)


def saturated(v):
    v = np.where(np.isnan(v), 0.0, v.astype(np.float64))
    return np.clip(np.trunc(v), -2.0**31, 2.0**31 - 1)


def column_sums(t):
    return Tile(np.broadcast_to(t.over(np.sum, 0.0, 0), (3, t.v.shape[1])), [(0, 3), t.valid[1]], t.exact)


def flip(valid, n):
    return (n - valid[1], n - valid[0])


def cut(valid, at, n):
    """The part of an interval in [at, at + n), from there."""
    return tuple(min(max(v - at, 0), n) for v in valid)


# name: (what is written, the same on a Tile and the tensor)
OPS = dict(
    same=('u', lambda t, x: t),
    negated=('-u', same(lambda v: -v)),
    times_zero=('u * 0.0', same(lambda v: v * np.float32(0))),
    shifted=('u + 1.0', same(lambda v: v + np.float32(1))),
    inverse=('1.0 / u', same(lambda v: np.float32(1) / v)),
    exponential=('exp(u)', same(np.exp, False)),
    falling=('exp(-u)', same(lambda v: np.exp(-v), False)),
    bent=('tanh(u)', same(np.tanh, False)),
    logs=('log(abs(u) + 1.0)', same(lambda v: np.log(np.abs(v) + np.float32(1)), False)),
    square=('u * u', same(lambda v: v * v)),
    root=('sqrt(u)', same(np.sqrt)),
    least_0=('max(u, 0.0)', same(lambda v: np.maximum(v, np.float32(0)))),
    most_0=('min(u, 0.0)', same(lambda v: np.minimum(v, np.float32(0)))),
    number=('maxnum(u, -1.0)', same(lambda v: np.fmax(v, np.float32(-1)))),
    held=('clamp(u, -1.0, 2.0)', same(lambda v: np.minimum(np.maximum(v, np.float32(-1)), np.float32(2)))),
    chosen=('select(u > 1.0, u, -2.0)', same(lambda v: np.where(v > 1, v, np.float32(-2)))),
    no_nan=('select(isnan(u), 5.0, u)', same(lambda v: np.where(np.isnan(v), np.float32(5), v))),
    other_if_inf=('select(isinf(u), 0.0 - u, u * 2.0)', same(lambda v: np.where(np.isinf(v), -v, v * np.float32(2)))),
    whole=('u as i32 as f32', same(saturated)),
    narrow=('u as f16 as f32', same(lambda v: v.astype(np.float16))),
    truth=('(u > 0.0) as f32', same(lambda v: v > 0)),
    centred=('u - max(u, axis = 1, keepdims = true)', lambda t, x: t.with_(t.v - maximum(t, 1).astype(np.float32))),
    shares=('u / (1.0 + sum(abs(u), axis = 0, keepdims = true))', lambda t, x: t.with_(
        t.v / (1 + Tile(np.abs(t.v), t.valid).over(np.sum, 0.0, 0)).astype(np.float32))),
    summed=('u + sum(u)', lambda t, x: t.with_(t.v + np.float32(np.sum(np.where(t.mask(), t.v, 0))))),
    marked=('select(valid(u), u, 3.0)', lambda t, x: t.with_(np.where(t.mask(), t.v, np.float32(3)))),
    filled=('fill(u, 2.0)', lambda t, x: filled(t, 2)),
    filled_low=('fill(u, -inf)', lambda t, x: filled(t, -np.inf)),
    kept=('keep(u, 1, 3, axis = 0)', lambda t, x: Tile(t.v, [(max(t.valid[0][0], 1), min(t.valid[0][1], 3)), t.valid[1]])),
    turned=('transpose(u)', lambda t, x: Tile(t.v.T, t.valid[::-1])),
    turned_back=('permute(u.t + 1.0, [1, 0])', same(lambda v: v + np.float32(1))),
    raised=('squeeze(expand(u, 0) * 2.0, 0)', same(lambda v: v * np.float32(2))),
    spread=('broadcast_to(sum(u, axis = 0, keepdims = true), [3, {B}])', lambda t, x: column_sums(t)),
    flipped=('flip(u, 1)', lambda t, x: Tile(t.v[:, ::-1], [t.valid[0], flip(t.valid[1], t.v.shape[1])])),
    flipped_rows=('flip(u * 2.0, -2)', lambda t, x: Tile(t.v[::-1] * np.float32(2), [flip(t.valid[0], 4), t.valid[1]])),
    piece=('extract(u, [1, 1], [2, {H}])', lambda t, x: Tile(t.v[2:4, t.v.shape[1] // 2:], [
        cut(t.valid[0], 2, 2), cut(t.valid[1], t.v.shape[1] // 2, t.v.shape[1] // 2)])),
    below=('cat(full([2, {B}], 1.5, f32), u, 0)', lambda t, x: Tile(
        np.concatenate([np.full((2, t.v.shape[1]), 1.5), t.v]), [(0, 2 + t.valid[0][1]), t.valid[1]])),
    beside=('cat(fill(u, -1.0), u, 1)', lambda t, x: Tile(
        np.concatenate([filled(t, -1).v, t.v], 1), [t.valid[0], (0, t.v.shape[1] + t.valid[1][1])])),
    reshaped=('reshape(fill(u, 0.5), [{B}, 4])', lambda t, x: Tile(filled(t, 0.5).v.reshape(-1, 4), [(0, t.v.shape[1]), (0, 4)])),
)

SOURCES = dict(
    load=('x.load([i, j], [4, 8], pad = {P})', 8, lambda i, j: (4 * i, 8 * j, 1)),
    window=('x.window([4 * i - 1, 8 * j - 3], [4, 8], pad = {P})', 8, lambda i, j: (4 * i - 1, 8 * j - 3, 1)),
    steps=('x.window([4 * i, 8 * j + 1], [4, 4], step = [1, 2], pad = {P})', 4, lambda i, j: (4 * i, 8 * j + 1, 2)),
    short=('keep(x.load([i, j], [4, 8], pad = {P}), 1, n, axis = 1)', 8, lambda i, j: (4 * i, 8 * j, 1)),
    looped=('again(x.load([i, j], [4, 8], pad = {P}), n)', 8, lambda i, j: (4 * i, 8 * j, 1)),
)
FEW = 'same shifted falling times_zero least_0 centred marked filled_low turned flipped piece'.split()

HEAD = '''// Written by cases_padded.py.
fn again(x: tile<f32, [A, B]>, n: i32) -> tile<f32, [A, B]>
{
    let mut acc = zeros([A, B], f32);
    for k in 0..n { acc = acc + x; }
    return acc;
}
'''
TEXT = '''
kernel {name}(
    all_of: &mut tensor<f32, [ceil(M, 4) * {E0}, ceil(N, 8) * {E1}]> by [i: {E0}, j: {E1}],
    s: &mut tensor<f32, [ceil(M, 4) * {E0}, ceil(N, 8)]> by [i: {E0}, j: 1],
    p: &mut tensor<f32, [ceil(M, 4), ceil(N, 8) * {E1}]> by [i: 1, j: {E1}],
    hi: &mut tensor<f32, [ceil(M, 4), ceil(N, 8) * {E1}]> by [i: 1, j: {E1}],
    lo: &mut tensor<f32, [ceil(M, 4) * {E0}, ceil(N, 8)]> by [i: {E0}, j: 1],
    av: &mut tensor<f32, [ceil(M, 4), ceil(N, 8) * {E1}]> by [i: 1, j: {E1}],
    at: &mut tensor<i32, [ceil(M, 4) * {E0}, ceil(N, 8)]> by [i: {E0}, j: 1],
    least: &mut tensor<i32, [ceil(M, 4), ceil(N, 8) * {E1}]> by [i: 1, j: {E1}],
    some: &mut tensor<bool, [ceil(M, 4) * {E0}, ceil(N, 8)]> by [i: {E0}, j: 1],
    every: &mut tensor<bool, [ceil(M, 4), ceil(N, 8) * {E1}]> by [i: 1, j: {E1}],
    x: &tensor<f32, [M, N]>, n: i32)
{{
    let u = {source};
    let t = {op};
    all_of.store(t);
    s.store(sum(t, axis = 1, keepdims = true));
    p.store(prod(t, axis = 0, keepdims = true));
    hi.store(max(t, axis = 0, keepdims = true));
    lo.store(min(t, axis = 1, keepdims = true));
    av.store(mean(t, axis = 0, keepdims = true));
    at.store(argmax(t, axis = 1, keepdims = true));
    least.store(argmin(t, axis = 0, keepdims = true));
    some.store(any(t > 0.5, axis = 1, keepdims = true));
    every.store(all(t > 0.5, axis = 0, keepdims = true));
}}
'''
ARGS = ''.join(f'{name}: {t}[{rows}, {columns}] out; ' for name, t, rows, columns in (
    ('all_of', 'f32', 'ceil(M, 4) * {E0}', 'ceil(N, 8) * {E1}'), ('s', 'f32', 'ceil(M, 4) * {E0}', 'ceil(N, 8)'),
    ('p', 'f32', 'ceil(M, 4)', 'ceil(N, 8) * {E1}'), ('hi', 'f32', 'ceil(M, 4)', 'ceil(N, 8) * {E1}'),
    ('lo', 'f32', 'ceil(M, 4) * {E0}', 'ceil(N, 8)'), ('av', 'f32', 'ceil(M, 4)', 'ceil(N, 8) * {E1}'),
    ('at', 'i32', 'ceil(M, 4) * {E0}', 'ceil(N, 8)'), ('least', 'i32', 'ceil(M, 4)', 'ceil(N, 8) * {E1}'),
    ('some', 'bool', 'ceil(M, 4) * {E0}', 'ceil(N, 8)'), ('every', 'bool', 'ceil(M, 4)', 'ceil(N, 8) * {E1}'))
) + 'x: f32[M, N]; n: i32'


def loaded(x, source, i, j, pad, n):
    """The tile that a source gives program (i, j)."""
    _, columns, place = SOURCES[source]
    r, c, step = place(i, j)
    rows, cols = r + np.arange(4), c + step * np.arange(columns)
    inside = ((rows >= 0) & (rows < x.shape[0]))[:, None] & ((cols >= 0) & (cols < x.shape[1]))
    v = np.where(inside, x[np.clip(rows, 0, x.shape[0] - 1)][:, np.clip(cols, 0, x.shape[1] - 1)], pad)
    valid = [bounds((rows >= 0) & (rows < x.shape[0])), bounds((cols >= 0) & (cols < x.shape[1]))]
    t = Tile(v, valid)
    if source == 'short':
        t.valid[1] = (max(t.valid[1][0], 1), min(t.valid[1][1], n))
    if source == 'looped':
        acc = np.zeros(t.v.shape, np.float32)
        for _ in range(n):
            acc = acc + t.v
        t = t.with_(acc)
    return t


def bounds(inside):
    at = np.flatnonzero(inside)
    return (at[0], at[-1] + 1) if at.size else (0, 0)


def consumed(t):
    """What the stores of a kernel hold for one program: name -> array, and which may be off."""
    n0 = max(t.valid[0][1] - t.valid[0][0], 0)
    truth = Tile(t.v > 0.5, t.valid)
    at, least = first(t, 1, np.inf), first(t, 0, -np.inf)
    return dict(all_of=t.v, s=t.over(np.sum, 0.0, 1), p=t.over(np.prod, 1.0, 0), hi=t.over(np.max, -np.inf, 0),
                lo=t.over(np.min, np.inf, 1), av=t.over(np.sum, 0.0, 0) / np.float64(n0), at=at, least=least,
                some=truth.over(np.max, 0, 1) > 0, every=truth.over(np.min, 1, 0) > 0)


def first(t, axis, best):
    """The place of the first extreme (inf: largest) of what is valid; NaN first; 0 of nothing."""
    lo, hi = t.valid[axis]
    if hi <= lo:
        return np.zeros_like(np.take(t.v, [0], axis), np.int32)
    v = np.take(t.v, range(lo, hi), axis)
    return np.expand_dims((np.argmax if best > 0 else np.argmin)(v, axis=axis) + lo, axis).astype(np.int32)


def reference(source, op, pad):
    def ref(x, n):
        tiles = [[consumed(OPS[op][1](loaded(x.v.astype(np.float32), source, i, j, np.float32(pad), n), x))
                  for j in range(-(-x.shape[1] // 8))] for i in range(-(-x.shape[0] // 4))]
        out = {k: np.block([[t[k] for t in row] for row in tiles]) for k in tiles[0][0]}
        return {k: v if v.dtype in (bool, np.int32) else near(v) for k, v in out.items()}
    return ref


def near(v):
    """An f32 result: sums of a few numbers, a function on the way."""
    with np.errstate(all='ignore'):
        e = np.where(np.isfinite(v), np.abs(v) * 2.0**-18 + 2.0**-20, 0)
        return Number(v, 'f32', e)


def write(name, text):
    """Puts a source file into build/, where the runner finds it by its path from the root."""
    os.makedirs(build.OUT, exist_ok=True)
    path = os.path.join(build.OUT, name + '.tile')
    if not os.path.exists(path) or open(path).read() != text:
        with open(path + f'.{os.getpid()}', 'w') as f:
            f.write(text)
        os.replace(path + f'.{os.getpid()}', path)
    return os.path.relpath(os.path.join(build.OUT, name), build.ROOT)


def integers(rng, shape, t):
    return rng.integers(-3, 4, shape)


def generate():
    """The pads take turns; with PADS=all every pad comes with everything, a file for each turn."""
    turns = len(PADS) if os.environ.get('PADS') == 'all' else 1
    combos = [(source, op) for source in SOURCES for op in OPS if source == 'load' or op in FEW]
    pads = list(PADS)
    for number in range(turns):
        text, kernels = HEAD, []
        for k, (source, op) in enumerate(combos):
            load, columns, _ = SOURCES[source]
            pad = pads[(k + number) % len(pads)]
            shape = {'turned': (columns, 4), 'spread': (3, columns), 'reshaped': (columns, 4), 'piece': (2, columns // 2),
                     'below': (6, columns), 'beside': (4, 2 * columns)}.get(op, (4, columns))
            names = dict(name=f'{source}_{op}_{pad}', E0=shape[0], E1=shape[1])
            text += TEXT.format(source=load.format(P=PADS[pad]), op=OPS[op][0].format(B=columns, H=columns // 2), **names)
            kernels.append((source, op, pad, names))
        path = write(f'padded_{number + 1}', text)
        for source, op, pad, names in kernels:
            args = ARGS.replace('{E0}', str(names['E0'])).replace('{E1}', str(names['E1']))
            case(path, names['name'], '', args, sizes(M=[1, 5], N=[3, 17], n=[2, 6]) if source in ('short', 'looped')
                 else sizes(M=[1, 7], N=[1, 8, 19], n=[0]), data=dict(x=integers), table=True)(
                     reference(source, op, float(PADS[pad])))


generate()
