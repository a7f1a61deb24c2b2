"""exact.py -- results rounded once from what they are exactly, or from long double

number.py follows tolerances through formulas; here single operations are known to the last bit, and
functions to far more than their bounds allow them to be off.
"""
import ctypes
from fractions import Fraction
import numpy as np
from number import EPS, RAW, TINY, Number, round_to


def to_int(t, v):
    """Floats towards zero as integers, held at the ends; NaN gives 0."""
    info = np.iinfo(RAW[t])
    v = np.where(np.isnan(v), 0.0, v)
    top = float(int(info.max) + 1)
    inside = np.where((v < top) & (v > float(info.min)), v, 0.0)
    cut = np.trunc(inside).astype(np.int64) if info.max < 2**63 else np.trunc(inside).astype(np.uint64)
    cut = cut.astype(RAW[t])
    return np.where(v >= top, RAW[t](info.max), np.where(v <= float(info.min), RAW[t](info.min), cut))


def sticky(n):
    """An integer as a float64 that rounds to 40 bits and less as the integer itself does."""
    cut = max(abs(n).bit_length() - 50, 0)
    return float((abs(n) >> cut | (abs(n) & (1 << cut) - 1 != 0)) << cut) * (-1 if n < 0 else 1)


def of_int(t, x):
    """Integers as floats of type t, rounded once."""
    return round_to(t, np.array([float(int(n)) if t == 'f64' else sticky(int(n)) for n in x]))


def of_fraction(t, q):
    """An exact value as a float64 that rounds to t once more without harm (f64: the result)."""
    if t == 'f64':
        try:
            return float(q)
        except OverflowError:
            return np.inf if q > 0 else -np.inf
    return float(Fraction(int(sticky(q.numerator)), q.denominator))            # by a power of two


def fma_one(t, a, b, c):
    if not (np.isfinite(a) and np.isfinite(b) and np.isfinite(c)):
        small = lambda v: np.copysign(1.0, v) if np.isfinite(v) and v != 0 else v
        return small(a) * small(b) + small(c)
    q = Fraction(a) * Fraction(b) + Fraction(c)
    if q == 0:
        return a * b + c if c == 0 else 0.0
    return of_fraction(t, q)


def fma(t, a, b, c):
    """a * b + c, rounded once."""
    return round_to(t, np.array([fma_one(t, *abc) for abc in zip(a, b, c)]))


# ---- functions -----------------------------------------------------------------------------------

ULP = {'f32': dict(exp=2, exp2=2, expm1=1, log=1, log2=1, log1p=1, pow=4, sqrt=0, rsqrt=2, sin=2, cos=2, tan=4, tanh=2,
                   sinh=3, cosh=2, erf=2, atan2=3, sigmoid=4)}
ULP['f64'] = ULP['f32']

libm = ctypes.CDLL('libm.so.6')
libm.erfl.restype, libm.erfl.argtypes = ctypes.c_longdouble, [ctypes.c_longdouble]


def wide_sigmoid(x):
    e = np.exp(-np.abs(x))
    return np.where(x < 0, e, np.ones_like(e)) / (1 + e)


WIDE = dict(exp=np.exp, exp2=np.exp2, expm1=np.expm1, log=np.log, log2=np.log2, log1p=np.log1p, pow=np.power, sqrt=np.sqrt,
            rsqrt=lambda x: 1 / np.sqrt(x), sin=np.sin, cos=np.cos, tan=np.tan, tanh=np.tanh, sinh=np.sinh, cosh=np.cosh,
            atan2=np.arctan2, sigmoid=wide_sigmoid,
            erf=lambda x: np.array([libm.erfl(float(v)) for v in x], np.longdouble))


def spacing(t, v):
    """The distance of the floats of type t around v."""
    _, e = np.frexp(np.where(np.isfinite(v), v, 0))
    return np.maximum(np.ldexp(EPS[t], np.maximum(e - 1, -1060)), TINY[t])


def function(name, *args):
    """A function of Numbers that are exact, with the error that its bound allows; what is special
    (an infinity, NaN, a zero, the exact 1 of exp(0)) has none."""
    t = args[0].t
    wide = WIDE[name](*[a.v.astype(np.longdouble) for a in args])
    v = np.sqrt(args[0].v) if name == 'sqrt' else wide.astype(np.float64)
    if t in ('f16', 'bf16'):
        e = spacing(t, v) / 2 + (ULP['f32'][name] + 0.5) * spacing('f32', v) * 1.001
    else:
        e = (ULP[t][name] + 0.5) * spacing(t, v) * 1.0001   # CUDA counts from the nearest value
        e += spacing(t, v) / 2 if t == 'f64' else 0
    special = ~np.isfinite(wide) | (wide == 0) | (ULP['f32'][name] == 0)
    for a in args:
        special = special | ((a.v == 0) & ~np.isin(v, [np.pi, -np.pi, np.pi / 2, -np.pi / 2]))
    near = round_to(t, v)
    return Number(np.where(special, near, v), t, np.where(special, 0, e))
