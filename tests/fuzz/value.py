"""value.py -- what an operation on elements means, told a third time: in NumPy, with the error that is allowed

A Value has elements v (float64 that the type can hold, integers of its width, or bools), an element type t, and e: how
far from v a conforming result may be. e is None where the bits are known; an infinite e says that nothing is known, as
of a comparison of two sums that are too close to call. Floats are computed in float64 and rounded to their type, which
for + - * / sqrt gives the same as rounding once.
"""
import math
import numpy as np
from number import EPS, RAW, TINY, ULP, round_to

np.seterr(all='ignore')       # NaN, infinity and wrapping are data here

INTS = ('i8', 'i16', 'i32', 'i64', 'u8', 'u16', 'u32', 'u64')
ARITH = ('f16', 'bf16', 'f32', 'f64')
NARROW = ('f8e4m3', 'f8e5m2', 'tf32')
MOST = dict(f16=65504.0, bf16=3.3895313892515355e38, f32=3.4028234663852886e38, f64=1.7976931348623157e308,
            f8e4m3=448.0, f8e5m2=57344.0, tf32=3.4011621342146535e38)


def is_int(t):
    return t in INTS


def is_float(t):
    return t in ARITH or t in NARROW


def bits(t):
    return 8 if t == 'bool' or t[:2] == 'f8' else 32 if t == 'tf32' else 16 if t == 'bf16' else int(t[1:])


def dtype(t):
    return np.bool_ if t == 'bool' else np.float64 if is_float(t) else RAW[t]


class Value:
    __slots__ = ('v', 't', 'e')

    def __init__(self, v, t, e=None):
        self.v, self.t = np.asarray(v, dtype(t)), t
        if e is not None:
            e = np.broadcast_to(np.where(np.isnan(e), np.inf, e), self.v.shape)
        self.e = e if e is not None and e.any() else None

    shape = property(lambda self: self.v.shape)

    def err(self):
        return np.zeros(self.v.shape) if self.e is None else self.e

    def map(self, f):
        """The same elements elsewhere: f moves an array."""
        return Value(f(self.v), self.t, None if self.e is None else f(self.e))

    def scalar(self):
        """As a Python number; Unsure if it is not known."""
        if self.e is not None:
            raise Unsure
        return self.v.item()


class Unsure(Exception):
    """What follows depends on a value that the tolerance does not settle."""


def of(x, t):
    return Value(round_to(t, np.asarray(x, np.float64)) if is_float(t) else np.asarray(x, dtype(t)), t)


def known(*values):
    return all(x.e is None for x in values)


def unsure(*values):
    """inf where an operand is not known, 0 elsewhere; None if all are."""
    if known(*values):
        return None
    return sum(np.where(x.err() > 0, np.inf, 0.0) for x in values if x.e is not None) + np.zeros(
        np.broadcast_shapes(*(x.shape for x in values)))


def rounded(t, v, e=None, ulp=0):
    """A float result: exact operands give the nearest value, others that and half an ulp more."""
    v = np.asarray(v, np.float64)
    near = round_to(t, v)
    if e is None and ulp == 0:
        return Value(near, t)
    e = np.zeros(v.shape) if e is None else e
    size = np.abs(np.where(np.isfinite(v), v, 0))
    scale = EPS[t] * (ulp + 1) if t not in ('f16', 'bf16') else EPS[t] + ulp * EPS['f32']
    wide = e + size * scale + TINY[t]
    wide = np.where((e == 0) & ((ulp == 0) | ~np.isfinite(v)), 0, wide)
    wide = np.where((wide > 0) & (size + wide >= MOST[t] * 0.999), np.inf, wide)
    wide = np.where(~np.isfinite(v) & (e > 0), np.inf, wide)
    return Value(np.where(wide == 0, near, v), t, wide)


# ---- of two and of one ---------------------------------------------------------------------------


def slope(s, e):
    return np.where(e == 0, 0, np.abs(s) * e * 1.01)


def float_binary(name, a, b, t):
    f = dict(add=np.add, sub=np.subtract, mul=np.multiply, div=np.divide)[name]
    v = f(a.v, b.v)
    if known(a, b):
        return rounded(t, v)
    ea, eb = a.err(), b.err()
    if name in ('add', 'sub'):
        return rounded(t, v, ea + eb + 0 * v)
    if name == 'mul':
        return rounded(t, v, slope(b.v, ea) + slope(a.v, eb) + ea * eb)
    near = (eb > 0) & (np.abs(b.v) <= 2 * eb)
    return rounded(t, v, np.where(near, np.inf, slope(1 / b.v, ea) + 2 * slope(a.v / (b.v * b.v), eb)))


def c_div(a, b):
    """Toward zero; by 0: 0; the lowest by -1 wraps."""
    safe = np.where(b == 0, 1, b).astype(a.dtype)
    minus = (safe == -1) if a.dtype.kind == 'i' else np.zeros(np.shape(safe), bool)
    down = np.floor_divide(a, np.where(minus, 1, safe).astype(a.dtype))
    left = a - down * safe
    q = down + ((left != 0) & ((a < 0) != (safe < 0))).astype(a.dtype)
    return np.where(b == 0, 0, np.where(minus, 0 - a, q)).astype(a.dtype)


def floor_div(a, b):
    safe = np.where(b == 0, 1, b).astype(a.dtype)
    minus = (safe == -1) if a.dtype.kind == 'i' else np.zeros(np.shape(safe), bool)
    q = np.floor_divide(a, np.where(minus, 1, safe).astype(a.dtype))
    return np.where(b == 0, 0, np.where(minus, 0 - a, q)).astype(a.dtype)


def shift(name, a, b):
    width = a.dtype.itemsize * 8
    out = (b < 0) | (b >= width)
    count = np.where(out, 0, b).astype(a.dtype)
    if name == 'shl':
        return np.where(out, 0, np.left_shift(a, count)).astype(a.dtype)
    return np.where(out, np.where(a < 0, -1, 0).astype(a.dtype), np.right_shift(a, count)).astype(a.dtype)


def int_binary(name, a, b):
    if name in ('shl', 'shr'):
        return shift(name, a, b)
    if name == 'div':
        return c_div(a, b)
    if name == 'rem':
        return (a - c_div(a, b) * b).astype(a.dtype)
    if name == 'floordiv':
        return floor_div(a, b)
    if name == 'mod':
        return (a - floor_div(a, b) * b).astype(a.dtype)
    if name in ('ceildiv', 'ceil'):
        q = floor_div(a, b)
        return np.where(b == 0, 0, q + ((a - q * b) != 0)).astype(a.dtype)
    return {'add': np.add, 'sub': np.subtract, 'mul': np.multiply, 'and': np.bitwise_and, 'or': np.bitwise_or,
            'xor': np.bitwise_xor}[name](a, b)


def above(x, y):
    """x where max(x, y) takes x: NaN wins, +0 is above -0."""
    return np.isnan(x) | (x > y) | ((x == y) & ~np.signbit(x)) if x.dtype.kind == 'f' else x > y


def pick(name, a, b):
    """max min maxnum minnum."""
    if not is_float(a.t):
        return Value((np.maximum if name[:3] == 'max' else np.minimum)(a.v, b.v), a.t, unsure(a, b))
    x, y = np.broadcast_arrays(a.v, b.v)
    first = above(x, y) if name[:3] == 'max' else np.isnan(x) | (x < y) | ((x == y) & np.signbit(x))
    if name in ('maxnum', 'minnum'):
        first = np.where(np.isnan(x), False, np.isnan(y) | first)
    else:
        first = first & ~np.isnan(y) | np.isnan(x)
    v = np.where(first, x, y)
    e = None if known(a, b) else np.maximum(a.err() + 0 * y, b.err() + 0 * x)
    if e is not None:
        e = np.where(np.isnan(x) | np.isnan(y), a.err() + b.err(), np.where(e > 0, np.maximum(a.err(), b.err()), 0))
        e = np.where(np.isnan(e), np.inf, e)
    return Value(v, a.t, e)


COMPARE = dict(lt=np.less, le=np.less_equal, gt=np.greater, ge=np.greater_equal, eq=np.equal, ne=np.not_equal)


def compare(name, a, b):
    v = COMPARE[name](a.v, b.v)
    if known(a, b):
        return Value(v, 'bool')
    e = a.err() + b.err() + 0.0 * v
    close = (e > 0) & ~(np.abs(np.asarray(a.v, np.float64) - np.asarray(b.v, np.float64)) > e)
    return Value(v, 'bool', np.where(close, np.inf, 0.0))


def binary(name, a, b):
    """Operators and functions of two, the types already agreed on (shifts aside)."""
    if name in COMPARE:
        return compare(name, a, b)
    if name in ('max', 'min', 'maxnum', 'minnum'):
        return pick(name, a, b)
    if a.t == 'bool':
        f = dict(land=np.logical_and, lor=np.logical_or, xor=np.logical_xor)
        f['and'], f['or'] = np.logical_and, np.logical_or
        return Value(f[name](a.v, b.v), 'bool', unsure(a, b))
    if is_int(a.t):
        x, y = np.broadcast_arrays(a.v, b.v)          # NumPy takes a 0 beside scalars for an int64
        return Value(int_binary(name, np.atleast_1d(x), np.atleast_1d(y)).reshape(x.shape), a.t, unsure(a, b))
    if name in ('pow', 'atan2'):
        v = (np.power if name == 'pow' else np.arctan2)(a.v, b.v)
        return rounded(a.t, v, unsure(a, b), ULP[name])
    return float_binary(name, a, b, a.t)


FUNCTIONS = dict(exp=np.exp, exp2=np.exp2, expm1=np.expm1, log=np.log, log2=np.log2, log1p=np.log1p, sqrt=np.sqrt,
                 rsqrt=lambda x: 1 / np.sqrt(x), sin=np.sin, cos=np.cos, tanh=np.tanh, sinh=np.sinh, cosh=np.cosh,
                 erf=np.vectorize(math.erf, otypes=[np.float64]), sign=np.sign, floor=np.floor, ceil=np.ceil,
                 trunc=np.trunc, round=lambda v: np.copysign(np.floor(np.abs(v) + 0.5), v),
                 sigmoid=lambda v: np.where(v < 0, np.exp(v) / (1 + np.exp(v)), 1 / (1 + np.exp(-v))))
STEPS = ('sign', 'floor', 'ceil', 'trunc', 'round')


def round_away(v):
    """Halves away from zero; v + 0.5 would round for large v."""
    cut = np.trunc(v)
    return np.where(np.abs(v - cut) >= 0.5, cut + np.sign(v), np.copysign(cut, v))


FUNCTIONS['round'] = round_away


def unary(name, a):
    if name == 'neg':
        return Value(-a.v if is_float(a.t) else np.subtract(np.zeros((), a.v.dtype), a.v), a.t, a.e)
    if name == 'not':
        return Value(~a.v, a.t, a.e)
    if name == 'abs':
        return Value(np.abs(a.v), a.t, a.e)
    if name in ('isnan', 'isinf'):
        return Value((np.isnan if name == 'isnan' else np.isinf)(a.v), 'bool', unsure(a))
    if is_int(a.t):
        return Value(np.sign(a.v).astype(a.v.dtype), a.t, a.e)
    f = FUNCTIONS[name]
    v = f(a.v)
    e = None
    if a.e is not None:
        lo, hi = f(a.v - a.e), f(a.v + a.e)
        e = np.where(a.e > 0, np.fmax(np.abs(lo - v), np.abs(hi - v)) * 1.05, 0)
        e = np.where((a.e > 0) & ~(np.isfinite(lo) & np.isfinite(hi) & np.isfinite(v)), np.inf, e)
        if name in STEPS:
            e = np.where(e > 0, np.inf, 0)
        elif name in ('sin', 'cos'):
            e = np.where(a.e > 0, np.minimum(a.e, 2), 0)
        elif name == 'cosh':
            e = np.where(a.e > 0, e + a.e * a.e, 0)
    return rounded(a.t, v, e, ULP.get(name, 0))


def fma(a, b, c):
    """Rounded once where long double holds the product and the sum apart; else within an ulp."""
    wide = a.v.astype(np.longdouble) * b.v + c.v
    v = np.asarray(wide, np.float64)
    e = unsure(a, b, c)
    if a.t in ('f64', 'f32'):
        size = np.abs(a.v * b.v) + np.abs(c.v)
        lost = np.isfinite(v) & (v.astype(np.longdouble) != wide)
        doubt = np.where(lost | (a.t == 'f64') & (size > 2.0**53), size * EPS['f64'] * 2, 0)
        e = doubt if e is None else e + doubt
    return rounded(a.t, v, e)


# ---- casts -----------------------------------------------------------------------------------------


def saturated(t, v):
    """Floats toward zero, held at the ends; NaN gives 0."""
    info = np.iinfo(RAW[t])
    low, high = float(info.min), float(int(info.max) + 1)
    inside = np.where((v > low) & (v < high), v, 0.0)
    cut = np.trunc(inside).astype(np.uint64 if t == 'u64' else np.int64).astype(RAW[t])
    return np.where(v >= high, RAW[t](info.max), np.where(v <= low, RAW[t](info.min), cut))


def int_to_float(t, v):
    """Rounded once: above 53 bits a sticky bit keeps the way."""
    if t == 'f64' or v.dtype.itemsize < 8:
        return round_to(t, v.astype(np.float64))
    size = np.abs(v.astype(object)) if v.size else v.astype(object)
    sticky = np.array([(int(n) >> 12 | (int(n) & 4095 != 0)) << 12 if n >= 1 << 52 else int(n)
                       for n in np.ravel(size)], np.float64).reshape(v.shape)
    return round_to(t, np.where(v < 0, -sticky, sticky))


def cast(a, t):
    if t == a.t:
        return a
    if t == 'bool':
        if a.e is None:
            return Value(a.v != 0, t)
        return Value(a.v != 0, t, np.where((a.e > 0) & (np.abs(np.asarray(a.v, np.float64)) <= a.e), np.inf, 0))
    if is_int(t):
        if not is_float(a.t):
            return Value(a.v.astype(RAW[t]), t, a.e)
        v = saturated(t, a.v)
        if a.e is None:
            return Value(v, t)
        same = (saturated(t, a.v - a.e) == v) & (saturated(t, a.v + a.e) == v) & np.isfinite(a.e)
        return Value(v, t, np.where((a.e > 0) & ~same, np.inf, 0))
    if not is_float(a.t):
        return Value(int_to_float(t, a.v) if is_int(a.t) else a.v.astype(np.float64), t, unsure(a))
    if a.e is None:
        return Value(round_to(t, a.v), t)
    if t in NARROW:
        size = {'tf32': 2.0**-9, 'f8e4m3': 2.0**-2, 'f8e5m2': 2.0**-1}[t]
        return Value(round_to(t, a.v), t, np.where(a.e > 0, a.e + np.abs(a.v) * size + 2.0**-9, 0))
    return rounded(t, a.v, a.e)


def directed(t, v, mode):
    """A float as type t (not f64), rounded toward zero, up or down: the nearest, or its neighbour."""
    near = round_to(t, v)
    wrong = {'rz': np.abs(near) > np.abs(v), 'ru': near < v, 'rd': near > v}[mode]
    up = np.where(mode == 'rz', v < 0, mode == 'ru')
    out = np.where(wrong, neighbour(t, near, up), near)
    most = np.copysign(MOST[t], v)
    held = np.isfinite(v) & ~np.isfinite(out) & ((mode == 'rz') | (up != (v > 0)))
    return np.where(held, most, out)


def neighbour(t, v, up):
    """The next number of type t in that direction."""
    x = v.astype(np.float16 if t == 'f16' else np.float32)
    return np.nextafter(x, np.where(up, np.inf, -np.inf).astype(x.dtype)).astype(np.float64)


def round_towards(a, t, mode):
    """round_to(a, t, mode) from a wider float to f16 or f32, or from a float to an integer."""
    if is_int(t):
        f = dict(rn=np.rint, rz=np.trunc, ru=np.ceil, rd=np.floor)[mode]
        return Value(saturated(t, f(a.v)), t, unsure(a))
    if mode == 'rn':
        return cast(a, t)
    return Value(directed(t, a.v, mode), t, unsure(a))


def select(c, a, b):
    v = np.where(c.v, a.v, b.v)
    if known(c, a, b):
        return Value(v, a.t)
    return Value(v, a.t, np.where(c.v, a.err(), b.err()) + c.err())
