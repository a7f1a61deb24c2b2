"""cases_round.py -- casts with a rounding of their own, and the bits of values"""
import math
from fractions import Fraction
import numpy as np
from inputs import any_float, any_int, raw_codes
from number import F8, RAW, Number, decode, encode, to_int
from table import around, case, sizes

MODES = ('rn', 'rz', 'ru', 'rd')


def numbers(t):
    """Every finite number of a narrow float type in order, as Fractions would compare: float64 holds them all."""
    bits = 8 if t in F8 else 16
    v = decode(t, np.arange(1 << bits, dtype=np.uint8 if bits == 8 else np.uint16).view(RAW[t]))
    return np.unique(v[np.isfinite(v)] + 0.0)             # one zero


TABLES = {t: numbers(t) for t in ('f16', 'bf16', 'f8e4m3', 'f8e5m2')}


def neighbours(t, v):
    """The numbers of type t below and above v, a Fraction or float; infinite past the last one."""
    if t in TABLES:
        table = TABLES[t]
        above = int(np.searchsorted(table, float(v)))
        while above > 0 and Fraction(float(table[above - 1])) >= Fraction(v):
            above -= 1
        while above < len(table) and Fraction(float(table[above])) < Fraction(v):
            above += 1
        hi = float(table[above]) if above < len(table) else math.inf
        lo = hi if hi == v else float(table[above - 1]) if above else -math.inf
        return lo, hi
    digits, most = (24, float(np.finfo(np.float32).max)) if t == 'f32' else (53, float(np.finfo(np.float64).max))
    least = -149 if t == 'f32' else -1074
    e = max((abs(v).bit_length() if isinstance(v, int) else math.frexp(v)[1]) - digits, least)
    unit = Fraction(2)**e
    n = Fraction(v) / unit
    lo, hi = math.floor(n) * unit, math.ceil(n) * unit
    lo, hi = min(lo, Fraction(most)), max(hi, Fraction(-most))  # past the largest lies infinity alone
    return (float(lo) if lo >= -most else -math.inf), (float(hi) if hi <= most else math.inf)



def rounded(t, v, mode):
    """v, a float or an int, as type t."""
    if isinstance(v, float) and (math.isnan(v) or v == 0):
        return v
    if isinstance(v, float) and math.isinf(v):
        return math.copysign(TABLES[t][-1], v) if t in F8 else v
    if v == 0:
        return 0.0
    if mode == 'rn':
        if isinstance(v, float):
            return float(decode(t, encode(t, np.array([v])))[0])
        lo, hi = neighbours(t, v)
        if math.isinf(lo) or math.isinf(hi):
            r = float(decode(t, encode(t, np.array([float(v)])))[0])
        else:
            below, above = Fraction(v) - Fraction(lo), Fraction(hi) - Fraction(v)
            r = lo if below < above else hi if above < below else even(t, lo, hi)
    else:
        lo, hi = neighbours(t, v)
        r = lo if mode == 'rd' or (mode == 'rz' and v > 0) else hi
    if math.isinf(r) and t in F8:
        r = math.copysign(TABLES[t][-1], r)
    return -0.0 if r == 0 and v < 0 else r


def even(t, lo, hi):
    raw = encode(t, np.array([lo, hi]))
    bits = raw.view({1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}[raw.itemsize])
    return lo if bits[0] % 2 == 0 else hi


def all_modes(t, x, modes=MODES):
    v = [[rounded(t, float(e) if isinstance(e, np.floating) else int(e), m) for e in x] for m in modes]
    return Number(np.array(v, np.float64).reshape(len(modes), len(x)), t)


def spread(rng, shape, t):
    """Special values, numbers of many sizes, and numbers half way between two f16."""
    v = rng.normal(size=shape) * 2.0**rng.integers(-40, 40, shape)
    half = np.round(rng.normal(size=shape) * 300) / 16 * 2.0**rng.integers(-12, 12, shape)
    edge = rng.choice([65504, 65519, 65520, 448, 464, 57344, 61440, 3.5e38, -1e300, 6e-8, 2e-9, 1e-45, 1.5e-3], shape)
    v = np.choose(rng.integers(0, 4, shape), [v, half, edge, -edge])
    return np.where(rng.integers(0, 6, shape) == 0, any_float(rng, shape, t), v)


@case('72_rounding', 'narrow', 'T: f32 f64', 'h: f16[4, N] out; b: bf16[4, N] out; e4: f8e4m3[4, N] out; e5: f8e5m2[4, N] out; '
      'f: f32[4, N] out; x: T[N]', sizes(N=[0, 1, 31, 127, 129, 300]), data=dict(x=spread), same_bits=True)
def _(T, x):
    types = dict(h='f16', b='bf16', e4='f8e4m3', e5='f8e5m2', f='f32')
    return {k: all_modes(t, x.v) if t != T else Number(np.tile(x.v, (4, 1)), t) for k, t in types.items()}


def tf32(v, mode):
    """A float to 11 digits."""
    if not np.isfinite(v) or v == 0:
        return v
    unit = 2.0**max(math.frexp(v)[1] - 11, -136)
    return (math.ceil if mode == 'ru' else math.trunc)(v / unit) * unit


@case('72_rounding', 'between', 'T: f16 bf16 f8e4m3 f8e5m2',
      'h: f16[2, N] out; b: bf16[2, N] out; e4: f8e4m3[2, N] out; u: f32[2, N] out; x: T[N]',
      sizes(N=[0, 1, 31, 127, 129, 300]), data=dict(x=raw_codes))
def _(T, x):
    same = Number(np.tile(x.v, (2, 1)), T)
    third = x.v.astype(np.float32) / np.float32(3)
    u = np.array([[tf32(float(v), m) for v in third] for m in ('ru', 'rz')]).reshape(2, len(third))
    return dict(h=same if T == 'f16' else all_modes('f16', x.v, ('ru', 'rz')),
                b=same if T == 'bf16' else all_modes('bf16', x.v, ('ru', 'rd')),
                e4=same if T == 'f8e4m3' else all_modes('f8e4m3', x.v, ('rd', 'rz')), u=Number(u, 'f32'))


@case('72_rounding', 'to_int', 'T: f32 f16 bf16 f64', 'a: i8[4, N] out; c: i32[4, N] out; u: u64[4, N] out; x: T[N]',
      sizes(N=[0, 1, 31, 127, 129, 300]),
      data=dict(x=lambda rng, shape, t: np.where(rng.integers(0, 2, shape) == 0, any_float(rng, shape, t), np.round(
          rng.normal(size=shape) * 40) / 4 * 4.0**rng.integers(0, 6 if t == 'f16' else 33, shape))))
def _(x):
    ways = [np.rint(x.v), np.trunc(x.v), np.ceil(x.v), np.floor(x.v)]
    return {k: np.array([to_int(t, w) for w in ways]) for k, t in dict(a='i8', c='i32', u='u64').items()}


@case('72_rounding', 'of_int', 'T: i8 u16 i32 u32 i64 u64',
      'd: f64[4, N] out; f: f32[4, N] out; h: f16[4, N] out; e5: f8e5m2[4, N] out; x: T[N]',
      sizes(N=[0, 1, 31, 127, 129, 200]), data=dict(x=any_int))
def _(x):
    return {k: all_modes(t, x) for k, t in dict(d='f64', f='f32', h='f16', e5='f8e5m2').items()}


def no_nan(rng, shape, t):
    """Every finite bit pattern: the bits of a NaN are not promised."""
    if t == 'bool' or t not in ('f16', 'bf16', 'f8e4m3', 'f8e5m2', 'f32', 'f64'):
        return rng.integers(0, 2, shape) if t == 'bool' else rng.integers(-100 if t[0] == 'i' else 0, 120, shape)
    v = raw_codes(rng, shape, t)
    return np.where(np.isnan(v), 1.5, v)


for size, types in {8: 'i8 u8 f8e4m3 f8e5m2 bool', 16: 'i16 u16 f16 bf16', 32: 'i32 u32 f32', 64: 'i64 u64 f64'}.items():
    @case('72_rounding', f'bits{size}', 'T: ' + types, f'a: u{size}[N] out; b: i{size}[N] out; x: T[N]',
          sizes(N=around(128)), data=dict(x=no_nan))
    def _(T, x):
        raw = encode(T, x.v if isinstance(x, Number) else x)
        unsigned, signed = RAW[f'u{raw.itemsize * 8}'], RAW[f'i{raw.itemsize * 8}']
        return dict(a=raw.view(unsigned), b=raw.view(signed))
