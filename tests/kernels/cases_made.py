"""cases_made.py -- the kernels that made.py writes: what each expression, constant and nest should give"""
import numpy as np
import made
from number import FLOATS, RAW, Number
from table import case, sizes

# ---- operators -----------------------------------------------------------------------------------


def quotient(a, b):
    q = np.abs(a) // np.maximum(np.abs(b), 1)
    return np.where(b == 0, 0, np.where((a < 0) == (b < 0), q, -q))


EVALUATED = {
    '+': np.add, '-': np.subtract, '*': np.multiply, '/': quotient, '%': lambda a, b: a - quotient(a, b) * b,
    '<<': lambda a, b: np.where((b >= 0) & (b < 32), a << np.clip(b, 0, 31), 0), '>>': lambda a, b: a >> np.where(b < 0, 31, np.minimum(b, 31)),
    '&': np.bitwise_and, '|': np.bitwise_or, '^': np.bitwise_xor, '<': np.less, '>=': np.greater_equal, '==': np.equal,
    '!=': np.not_equal, '&&': np.logical_and, '||': np.logical_or, '!': np.logical_not, '~': np.invert,
    'neg': np.negative, 'select': np.where}


def value(tree, names):
    """A tree in 64 bits, each result wrapped to 32."""
    if isinstance(tree, str):
        return names[tree]
    v = EVALUATED[tree[0]](*[value(t, names) for t in tree[1:]])
    return v if v.dtype == bool else v.astype(np.int32).astype(np.int64)


def mixed(rng, shape, t):
    """Small numbers, counts of shifts, and large ones."""
    small, wide = rng.integers(-9, 34, shape), rng.integers(-2**31, 2**31, shape)
    return np.where(rng.random(shape) < 0.7, small, wide)


def evaluated(some, t):
    def reference(p, q, r):
        names = {k: v.astype(np.int64) for k, v in zip('abc', (p, q, r))}
        return np.array([value(tree, names) for tree in some]).astype(t)
    return reference


for kind, t, found in zip(('numbers', 'truths'), ('i32', 'bool'), made.trees()):
    for n, some in enumerate(made.pieces(found)):
        case('made/operators', f'{kind}_{n}', '', f'y: {t}[K, N] out; p: i32[N]; q: i32[N]; r: i32[N]', sizes(K=[len(some)], N=[200]),
             table=True, data=dict(p=mixed, q=mixed, r=mixed))(evaluated(some, RAW[t]))


# ---- constants -----------------------------------------------------------------------------------


def alike(found):
    """What a constant gives and what a loaded value gives have the same bits, NaN is NaN."""
    def check(outputs):
        folded, loaded = outputs['y']
        same = (folded == loaded) & (np.signbit(folded) == np.signbit(loaded)) | (folded != folded) & (loaded != loaded)
        wrong = np.flatnonzero(~same)
        if wrong.size:
            o, pair = found[wrong[0]]
            return f'{o} of {pair} is {folded[wrong[0]]!r} folded, {loaded[wrong[0]]!r} loaded; {wrong.size} differ'
        return None
    return lambda x: dict(y=check)


def constants_of(t):
    values = [float(v) for v in made.CONSTANTS[t]] if t in FLOATS else made.CONSTANTS[t]
    return lambda rng, shape, _: np.array(values, np.float64 if t in FLOATS else RAW[t])


for t in made.CONSTANTS:
    for n, some in enumerate(made.pieces(made.folds(t), 60)):
        case('made/folded', f'constants_{t}_{n}', '', f'y: {t}[2, N] out; x: {t}[{len(made.CONSTANTS[t])}]', sizes(N=[len(some)]),
             table=True, data=dict(x=constants_of(t)))(alike(some))


# ---- nests ---------------------------------------------------------------------------------------


def runs(kinds, leave):
    """The nest in Python, a program at a time."""
    body = '\n'.join(['def f(t, c, n):'] + made.nest(kinds, leave, 0, True) + ['    return t, c'])
    names = {}
    exec(body, names)

    def reference(x, n):
        y, s = np.empty_like(x), []
        for k in range(-(-len(x) // 16)):
            t, c = names['f'](x[16 * k:16 * k + 16], int(x[k]), n)
            y[16 * k:16 * k + 16] = t
            s.append(c)
        return dict(y=y, s=np.array(s, np.int32))
    return reference


for kinds, leave in made.nests():
    case('made/nesting', f'{"_".join(kinds)}_{leave}', '', 'y: i32[N] out; s: i32[ceil(N, 16)] out; x: i32[N]; n: i32',
         sizes(N=[75], n=[0, 3]), table=True, data=dict(x=lambda rng, shape, t: rng.integers(0, 100, shape)))(runs(kinds, leave))


# ---- names ---------------------------------------------------------------------------------------


def plainly(role):
    """What each kernel of made.names computes: the tile is 4 x 32, whatever lies in it."""
    def reference(**inputs):
        x = inputs[role['x']].v.astype(np.float32)
        M, N = x.shape
        padded = np.zeros((-(-M // 4) * 4, 128), np.float32)
        padded[:M, :N] = x
        v = np.empty_like(padded)
        for j in range(0, 128, 32):
            inside = padded[:, j:min(j + 32, N)] if j < N else padded[:, :1]
            v[:, j:j + 32] = 2 * padded[:, j:j + 32] - np.max(inside, 1, keepdims=True)
        for k in range(3):
            v = v * np.float32(0.5) + np.tile(padded[:, 32 * k:32 * k + 32], 4)
        for j in range(0, 128, 32):
            v[:, j:j + 32] = v[:, j:j + 32][:, ::-1]
        return {role['y']: Number((v[:M, :N] + np.float32(M)).astype(np.float64), 'f32')}
    return reference


for role in made.words():
    case('made/names', role['kernel'], '', '{y}: f32[{M}, {N}] out; {x}: f32[{M}, {N}]; {s}: f32 = 0.5'.format(**role),
         sizes(**{role['M']: [7], role['N']: [64]}), table=True)(plainly(role))
