"""cases_tables.py -- what language.md's section 6 says of each operation, for every element type

Of 8 bits every pair, of 16 bits every pattern; of wider types the edges against each other, and
random patterns of every magnitude. References are integers, float64 or long double: exact, or far
better than the result.
"""
import numpy as np
import exact
from number import EPS, F8, FLOATS, RAW, TINY, Number, decode, larger, round_to, smaller
from table import case, sizes

WIDTH = dict(i8=8, i16=16, i32=32, i64=64, u8=8, u16=16, u32=32, u64=64)
INTS = tuple(WIDTH)


# ---- integers ------------------------------------------------------------------------------------


def int_edges(t):
    """The ends of the range, small numbers, powers of two and their neighbours."""
    info = np.iinfo(RAW[t])
    near = {p + d for k in range(0, WIDTH[t] + 1, 4) for p in (1 << k, -(1 << k)) for d in (-1, 0, 1)}
    near |= set(range(-4, 12)) | {info.min, info.min + 1, info.max - 1, info.max, info.max // 3}
    return sorted(v for v in near if info.min <= v <= info.max)


def any_pattern(rng, n, t):
    """n integers, of every magnitude alike."""
    raw = rng.integers(0, 1 << 63, n, dtype=np.uint64) * np.uint64(2) + rng.integers(0, 2, n).astype(np.uint64)
    return (raw >> rng.integers(64 - WIDTH[t], 64, n).astype(np.uint64)).astype(np.uint64).astype(RAW[t])


def crossed(first):
    """The first or the second of all pairs: of 8 bits all, of others edges by edges, then random."""
    def data(rng, shape, t):
        n = shape[0]
        if WIDTH[t] == 8:
            i = np.arange(n)
            return (i >> 8 if first else i & 255).astype(np.uint8).view(RAW[t])
        edges = np.array(int_edges(t), RAW[t])
        x, y = np.meshgrid(edges, edges, indexing='ij')
        return np.concatenate([(x if first else y).ravel(), any_pattern(rng, n, t)])[:n]
    return data


def every_int(rng, shape, t):
    n = shape[0]
    if WIDTH[t] <= 16:
        return np.arange(n).astype(f'u{WIDTH[t] // 8}').view(RAW[t])
    ties = {(1 << k) + (1 << k >> j) * m + d for k in range(WIDTH[t]) for j in (3, 4, 8, 11, 24, 53) for m in (1, 3)
            for d in (-1, 0, 1)}
    ties = [v for v in ties | {-v for v in ties} if np.iinfo(RAW[t]).min <= v <= np.iinfo(RAW[t]).max]
    return np.concatenate([np.array(int_edges(t) + sorted(ties), RAW[t]), any_pattern(rng, n, t)])[:n]


def wrapped(f, x, y):
    """f of the exact integers, as the type of x holds it."""
    bits = 8 * x.dtype.itemsize
    values = [f(int(a), int(b)) & (1 << bits) - 1 for a, b in zip(x, y)]
    return np.array(values, f'u{bits // 8}').view(x.dtype)


def quotient(a, b):
    return 0 if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def compared(x, y):
    return (1 * (x < y) + 2 * (x <= y) + 4 * (x > y) + 8 * (x >= y) + 16 * (x == y) + 32 * (x != y)).astype(np.int32)


PAIRS = ''.join(f'{n}: T[N] out; ' for n in 'q r fq fr cq ad su mu an od xo hi lo mid'.split())


def pairs(a, b):
    by = lambda f: wrapped(f, a, b)
    return dict(q=by(quotient), r=by(lambda x, y: x - quotient(x, y) * y), fq=by(lambda x, y: x // y if y else 0),
                fr=by(lambda x, y: x % y if y else x), cq=by(lambda x, y: -(-x // y) if y else 0),
                ad=by(lambda x, y: x + y), su=by(lambda x, y: x - y), mu=by(lambda x, y: x * y),
                an=a & b, od=a | b, xo=a ^ b, hi=np.maximum(a, b), lo=np.minimum(a, b),
                mid=np.minimum(np.maximum(a, np.minimum(b, b.dtype.type(5))), b), c=compared(a, b))


for types, n in (('i8 u8', 65536), ('i16 i32 i64 u16 u32 u64', 6000)):
    case('80_integer_tables', 'pairs', 'T: ' + types, PAIRS + 'c: i32[N] out; a: T[N]; b: T[N]', sizes(N=[n]),
         data=dict(a=crossed(True), b=crossed(False)), table=True)(pairs)


def alone_int(a):
    return dict(ne=wrapped(lambda x, _: -x, a, a), no=~a, ab=wrapped(lambda x, _: abs(x), a, a),
                si=np.sign(a.astype(np.float64)).astype(a.dtype))


for types, n in (('i8 u8', 256), ('i16 u16', 65536), ('i32 i64 u32 u64', 3000)):
    case('80_integer_tables', 'alone', 'T: ' + types, 'ne: T[N] out; no: T[N] out; ab: T[N] out; si: T[N] out; a: T[N]',
         sizes(N=[n]), data=dict(a=every_int), table=True)(alone_int)


def counts(rng, shape, t):
    """Every count from -3 to 70 that the type has, its ends, and numbers that would fit if they were cut."""
    info = np.iinfo(RAW[t])
    some = list(range(-3, 71)) + [127, 128, 255, 256, 257, 1 << 15, 1 << 16, (1 << 16) + 1, 1 << 31, 1 << 32,
                                  (1 << 32) + 1, -(1 << 32) + 1, 1 << 63, info.min, info.max, -64, -32, -8, -127]
    some = np.array([c for c in some if info.min <= c <= info.max], RAW[t])
    return np.resize(some, shape)


def shifted(x, n, left):
    bits = 8 * x.dtype.itemsize
    if not left:
        return wrapped(lambda a, k: (-1 if a < 0 else 0) if k < 0 or k >= bits else a >> k, x, n)
    return wrapped(lambda a, k: 0 if k < 0 or k >= bits else a << k, x, n)


@case('80_integer_tables', 'shifts', 'T: ' + ' '.join(INTS), ''.join(f'{d}_{c}: T[N] out; ' for d in 'lr' for c in INTS)
      + 'a: T[N]; ' + '; '.join(f'n_{c}: {c}[N]' for c in INTS), sizes(N=[2003]),
      data=dict({f'n_{c}': counts for c in INTS}, a=lambda rng, shape, t: rng.permutation(crossed(True)(rng, (max(
          shape[0], 65536),), t))[:shape[0]]), table=True)
def _(a, **n):
    return {f'{d}_{c}': shifted(a, n[f'n_{c}'], d == 'l') for d in 'lr' for c in INTS}


# ---- casts ---------------------------------------------------------------------------------------


def float_patterns(rng, n, t):
    """Floats of t: special ones, neighbours of powers of two and of halves, random patterns."""
    if t in F8 or t in ('f16', 'bf16'):
        bits = 8 if t in F8 else 16
        code = np.resize(np.arange(1 << bits), n).astype(f'u{bits // 8}')
        return decode(t, code.view(np.float16) if t == 'f16' else code)
    digits, low, high = {'f32': (23, -149, 128), 'f64': (52, -1074, 1024), 'tf32': (10, -136, 128)}[t]
    near = [0.0, np.inf, np.nan, 2.0**low, 3 * 2.0**low, TINY['f16'], 65504.0, 65519.99, 65520.0, 448.0, 464.0, 465.0,
            57344.0, 61440.0, 61441.0, 0.5, 1.5, 2.5, 0.49999997, 127.5, 128.5, 255.5, 1 / 3]
    for k in [low, low + 1, -134, -133, -127, -126, -25, -24, -15, -14, -10, -9, -1, 0, 1, 7, 8, 10, 11, 15, 16, 23, 24,
              31, 32, 52, 53, 62, 63, 64, 127, high - 1]:
        if low <= k < high:
            near += [2.0**k * f for f in (1, 1 - 2.0**-digits, 1 + 2.0**-digits, 1 + 2.0**-8, 1 + 2.0**-11,
                                          1 + 3 * 2.0**-11, 1 + 2.0**-11 + 2.0**-digits, 1.5, 1 + 2.0**-4, 1 + 3 * 2.0**-4,
                                          1 + 2.0**-3, 1.25, 1 + 2.0**-8 + 2.0**-digits, 1 + 2.0**-24, 1 + 2.0**-24 + 2.0**-50,
                                          1 + 2.0**-11 + 2.0**-40, 1 + 2.0**-8 + 2.0**-40, 1 + 2.0**-4 + 2.0**-40)]
    near = np.array(near + [-v for v in near])
    some = rng.normal(size=n) * 2.0**rng.integers(max(low, -160), min(high, 160), n)
    raw = rng.integers(0, 1 << 63, n, dtype=np.uint64) << np.uint64(1)
    raw = raw.view(np.float64) if t == 'f64' else (raw >> np.uint64(32)).astype(np.uint32).view(np.float32).astype(np.float64)
    some = np.where(rng.integers(0, 2, n) == 0, some, raw)
    return round_to(t, np.concatenate([near, some])[:n])


def every_pattern(rng, shape, t):
    if t == 'bool':
        return np.arange(shape[0]) % 2
    return every_int(rng, shape, t) if t in WIDTH else float_patterns(rng, shape[0], t)


CASTS = ('bool',) + INTS + ('f16', 'bf16', 'f32', 'f64', 'f8e4m3', 'f8e5m2', 'tf32')


def casts(a):
    """Every type of one tensor."""
    if isinstance(a, Number):
        v = a.v
        ints = {t: exact.to_int(t, v) for t in INTS}
        return dict({'to_' + t: x for t, x in ints.items()}, to_bool=v != 0,
                    **{'to_' + t: a if t == a.t else Number(round_to(t, v), t) for t in CASTS if t in FLOATS})
    ints = {'to_' + t: a.astype(RAW[t]) for t in INTS}                   # which wraps
    return dict(ints, to_bool=a != 0, **{'to_' + t: Number(exact.of_int(t, a), t) for t in CASTS if t in FLOATS})


for types, n in (('bool i8 u8 f8e4m3 f8e5m2', 256), ('i16 u16 f16 bf16', 65536), ('i32 i64 u32 u64 f32 f64 tf32', 6000)):
    case('81_cast_tables', 'casts', 'T: ' + types, ''.join(f'to_{t}: {t}[N] out; ' for t in CASTS) + 'a: T[N]',
         sizes(N=[n]), data=dict(a=every_pattern), same_bits=True, table=True)(casts)


# ---- floats --------------------------------------------------------------------------------------


def float_edges(t):
    low, top = TINY[t], {'f16': 65504.0, 'bf16': float.fromhex('0x1.fep127'), 'f32': float.fromhex('0x1.fffffep127'),
                         'f64': np.finfo(np.float64).max}[t]
    e = EPS[t]
    some = [0.0, low, 2 * low, 3 * low, low / e, low / e * (1 - e), 1.0, 1 + e, 1 - e / 2, 1 + 2 * e, 1.5, 2.0, 3.0, 0.1,
            1 / 3, 7.0, 1 / e, 1 / e + 1, 2 / e, top, top / 2, top * (1 - e), top**0.5, top**0.5 * (1 + 2 * e), low**0.5,
            np.inf]
    some = round_to(t, np.array(some))
    return np.concatenate([some, -some, [np.nan]])


def crossed_floats(which):
    """Edges by edges by a few; then random patterns, of which many lie close together."""
    def data(rng, shape, t):
        n, edges = shape[0], float_edges(t)
        few = round_to(t, np.array([0.0, -0.0, 1.0, -1.0, np.inf, np.nan, TINY[t], -3 * TINY[t]]))
        grids = np.meshgrid(edges, edges, indexing='ij')
        third = np.resize(few, grids[0].size)
        fixed = [grids[0].ravel(), grids[1].ravel(), third][which]
        some = rng.normal(size=n) * 2.0**rng.choice([0, 0, 0, 1, 2, -3, 10, -10], n)
        return round_to(t, np.concatenate([fixed, some])[:n])
    return data


TRIPLE = dict(a=crossed_floats(0), b=crossed_floats(1), d=crossed_floats(2))


def chosen(m, x, y):
    """maxnum, minnum: of a number and NaN the number."""
    v = np.where(np.isnan(x.v), y.v, np.where(np.isnan(y.v), x.v, m.v))
    return Number(v, x.t)


@case('82_float_tables', 'operators', 'T: f16 bf16 f32 f64',
      ''.join(f'{n}: T[N] out; ' for n in 'ad su mu di fm hi lo hin lon mid'.split())
      + 'c: i32[N] out; a: T[N]; b: T[N]; d: T[N]', sizes(N=[6000]), data=TRIPLE, same_bits=True, table=True)
def _(a, b, d):
    c = compared(a.v, b.v) + 64 * ~(a.v < b.v) + 128 * ~(a.v >= b.v)
    hi, lo = larger(a, b), smaller(a, b)
    return dict(ad=a + b, su=a - b, mu=a * b, di=a / b, fm=Number(exact.fma(a.t, a.v, b.v, d.v), a.t), hi=hi, lo=lo,
                hin=chosen(hi, a, b), lon=chosen(lo, a, b), mid=smaller(hi, d), c=c)


@case('82_float_tables', 'unfused', 'T: f16 bf16 f32 f64', ''.join(f'{n}: T[N] out; ' for n in 'p q r s t u v w'.split())
      + 'a: T[N]; b: T[N]; d: T[N]', sizes(N=[6000]), data=TRIPLE, same_bits=True, table=True)
def _(a, b, d):
    m = d
    for _ in range(3):
        m = m + a * b
    return dict(p=a * b + d, q=d - a * b, r=a * b - d * d, s=-(a * b) + d, t=(a + b) * d + b, u=a * 0.1 + b,
                v=a * b + a * d, w=m - b * b)


def alone_float(a):
    v = a.v
    away = np.copysign(np.where(np.abs(v) < 1 / EPS[a.t], np.floor(np.abs(v)) + (np.abs(v) % 1 >= 0.5), np.abs(v)), v)
    plain = dict(ne=-v, ab=np.abs(v), si=np.where(np.isnan(v), v, 1.0 * (v > 0) - 1.0 * (v < 0)), fl=np.floor(v),
                 ce=np.ceil(v), ro=away, tr=np.trunc(v), sq=np.sqrt(v), re=1 / v, tw=v * 2, ha=v * 0.5)
    return dict({k: Number(round_to(a.t, x), a.t) for k, x in plain.items()}, nn=np.isnan(v), ii=np.isinf(v))


for types, n in (('f16 bf16', 65536), ('f32 f64', 4000)):
    case('82_float_tables', 'alone', 'T: ' + types, ''.join(f'{n}: T[N] out; ' for n in 'ne ab si fl ce ro tr sq re tw '
         'ha'.split()) + 'nn: bool[N] out; ii: bool[N] out; a: T[N]', sizes(N=[n]), data=dict(a=every_pattern),
         same_bits=True, table=True)(alone_float)


# ---- functions -----------------------------------------------------------------------------------

FUNCTIONS = 'exp exp2 expm1 log log2 log1p sqrt rsqrt sin cos tan tanh sinh cosh erf sigmoid'.split()


def for_functions(rng, shape, t):
    """Every pattern of 16 bits; of others the edges, and both signs of every magnitude."""
    if t in ('f16', 'bf16'):
        return float_patterns(rng, shape[0], t)
    v = np.concatenate([float_edges(t), rng.normal(size=shape[0] // 2) * 20,
                        float_patterns(rng, shape[0], t)])[:shape[0]]
    return round_to(t, v)


def functions(a):
    return {'r_' + f: exact.function(f, a) for f in FUNCTIONS}


for types, n in (('f16 bf16', 65536), ('f32 f64', 4000)):
    case('83_function_tables', 'functions', 'T: ' + types, ''.join(f'r_{f}: T[N] out; ' for f in FUNCTIONS) + 'a: T[N]',
         sizes(N=[n]), data=dict(a=for_functions), same_bits=True, table=True)(functions)


def powers(which):
    """Special values against each other; then ordinary ones whose power is neither 0 nor infinite."""
    def data(rng, shape, t):
        some = [0.0, 0.5, 1.0, 2.0, 3.0, 1.5, 1 / 3, 4.0, 5.0, 101.0, 1 / EPS[t], 1 / EPS[t] + 1, TINY[t], np.inf]
        some = np.array(some + [-v for v in some] + [np.nan])
        grid = np.meshgrid(some, some, indexing='ij')[which].ravel()
        n = shape[0]
        x = np.abs(rng.normal(size=n)) * 2.0**rng.integers(-6, 7, n) + 0.01
        if which:
            x = rng.normal(size=n) * 2.0**rng.integers(-6, 5, n)
        return round_to(t, np.concatenate([grid, x])[:n])
    return data


@case('83_function_tables', 'of_two', 'T: f16 bf16 f32 f64', 'r_pow: T[N] out; r_atan2: T[N] out; a: T[N]; b: T[N]',
      sizes(N=[4000]), data=dict(a=powers(0), b=powers(1)), same_bits=True, table=True)
def _(a, b):
    return dict(r_pow=exact.function('pow', a, b), r_atan2=exact.function('atan2', a, b))
