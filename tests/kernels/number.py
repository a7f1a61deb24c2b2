"""number.py -- float64 values that carry the error which docs/language.md allows them

A Number is what an exact computation gives, the largest distance from it that a conforming one may
have, and the element type it has in the kernel. References are written as plain formulas over
Numbers; the tolerance of each result follows from the formula:

    + - * / sqrt fma, casts     correctly rounded: while the operands are exact, so is the result,
                                bit for bit; after that half an ulp is added
    exp, log, ..                the bounds of CUDA's accurate functions, ULP below
    sum of n values             (8 + 2 sqrt n) eps sum |x|
    16-bit types                functions and sums by f32, then one rounding

Errors of operands are carried through each operation to first order.
"""
import math
import numpy as np

np.seterr(all='ignore')       # NaN and infinity are data here

EPS = {'f16': 2.0**-10, 'bf16': 2.0**-7, 'tf32': 2.0**-10, 'f32': 2.0**-23, 'f64': 2.0**-52}
TINY = {'f16': 2.0**-24, 'bf16': 2.0**-133, 'tf32': 2.0**-136, 'f32': 2.0**-149, 'f64': 2.0**-1074}
RANK = {'f8e4m3': -1, 'f8e5m2': -1, 'f16': 0, 'bf16': 0, 'tf32': 0, 'f32': 1, 'f64': 2}
ULP = dict(exp=2, exp2=2, expm1=1, log=1, log2=1, log1p=1, pow=4, rsqrt=2, sigmoid=4, sin=2, cos=2,
           tan=4, tanh=2, sinh=3, cosh=2, erf=2, atan2=3)

# ---- element types: how they lie in memory, as NumPy types ------------------------------------

RAW = dict(bool=np.uint8, i8=np.int8, i16=np.int16, i32=np.int32, i64=np.int64, u8=np.uint8,
           u16=np.uint16, u32=np.uint32, u64=np.uint64, f16=np.float16, bf16=np.uint16,
           f32=np.float32, f64=np.float64, f8e4m3=np.uint8, f8e5m2=np.uint8, tf32=np.float32)
FLOATS = ('f16', 'bf16', 'f32', 'f64', 'f8e4m3', 'f8e5m2', 'tf32')


def _f8_values(exponent_bits, mantissa_bits, bias, has_inf):
    """The value of each of the 256 bit patterns."""
    values = np.empty(256)
    for code in range(256):
        e = code >> mantissa_bits & (1 << exponent_bits) - 1
        m = code & (1 << mantissa_bits) - 1
        top = (1 << exponent_bits) - 1
        scale = 2.0**(max(e, 1) - bias)
        v = scale * ((e > 0) + m / (1 << mantissa_bits))
        if has_inf and e == top:
            v = math.nan if m else math.inf
        if not has_inf and code & 127 == 127:
            v = math.nan
        values[code] = -v if code & 128 else v
    return values


F8 = dict(f8e4m3=_f8_values(4, 3, 7, False), f8e5m2=_f8_values(5, 2, 15, True))


def decode(t, raw):
    """What raw memory of type t means: float64 of a float, else the integers themselves."""
    if t == 'bf16':
        wide = np.atleast_1d(raw).astype(np.uint32) << 16
        return wide.view(np.float32).astype(np.float64).reshape(np.shape(raw))
    if t in F8:
        return F8[t][raw]
    return raw.astype(np.float64) if t in FLOATS else raw.copy()


def encode(t, v):
    """Values as raw memory of type t: floats to nearest even (f8 saturates)."""
    v = np.asarray(v)
    if t == 'bf16':
        return _bf16(v)
    if t == 'tf32':
        return _tf32(v)
    if t in F8:
        return _f8(t, v)
    if t == 'bool':
        return (v != 0).astype(np.uint8)
    return v.astype(RAW[t])


def _bf16(v):
    """Nearest even from float64; by f32 rounded to odd, so that nothing is rounded twice."""
    shape, v = np.shape(v), np.atleast_1d(np.asarray(v, np.float64))
    f = v.astype(np.float32)
    bits = f.view(np.uint32).copy()
    exact = f.astype(np.float64) == v
    over = np.abs(f.astype(np.float64)) > np.abs(v)
    odd = ~exact & np.isfinite(v)
    bits = np.where(odd & over, bits - 1, bits)
    bits = np.where(odd, bits | 1, bits).astype(np.uint32)
    rounded = ((bits.astype(np.uint64) + 0x7fff + (bits >> 16 & 1)) >> 16).astype(np.uint16)
    return np.where(np.isnan(v), np.uint16(0x7fff), rounded).astype(np.uint16).reshape(shape)


def _tf32(v):
    """Nearest even from float64, 10 bits of fraction."""
    v = np.asarray(v, np.float64)
    _, e = np.frexp(np.where(np.isfinite(v), v, 1))
    last = np.maximum(e - 11, -136)
    cut = np.ldexp(np.rint(np.ldexp(v, -last)), last)
    return np.where(np.abs(cut) >= 2.0**128, np.copysign(np.inf, v), np.where(np.isfinite(v), cut, v)).astype(np.float32)


def _f8(t, v):
    table = F8[t]
    codes = np.array([c for c in range(128) if np.isfinite(table[c])], np.uint8)
    values = table[codes]
    v = np.asarray(v, np.float64)
    a = np.minimum(np.where(np.isnan(v), 0, np.abs(v)), values[-1])
    hi = np.clip(np.searchsorted(values, a), 1, len(values) - 1)
    lo = hi - 1
    up = a - values[lo], values[hi] - a
    take_hi = (up[1] < up[0]) | ((up[1] == up[0]) & (codes[hi] % 2 == 0))
    code = np.where(take_hi, codes[hi], codes[lo]).astype(np.uint8)
    code = np.where(np.isnan(v), np.uint8(0x7f), code)
    return (code | np.where(np.signbit(v) & ~np.isnan(v), 128, 0)).astype(np.uint8)


def round_to(t, v):
    """v as type t has it, as float64."""
    return v if t == 'f64' else decode(t, encode(t, v))


def to_int(t, v):
    """Float to integer: truncated, saturated, NaN gives 0."""
    info = np.iinfo(RAW[t])
    v = np.asarray(v, np.float64)
    cut = [min(max(int(x), info.min), info.max) if math.isfinite(x)
           else 0 if math.isnan(x) else info.max if x > 0 else info.min for x in v.ravel()]
    return np.array(cut, RAW[t]).reshape(v.shape)


# ---- numbers ------------------------------------------------------------------------------------


class Number:
    """v: float64; e: largest allowed distance, 0 where the bits are known; t: element type."""
    __slots__ = ('v', 'e', 't')
    __array_priority__ = 100

    def __init__(self, v, t, e=0.0):
        self.v = np.asarray(v, np.float64)
        self.e = np.broadcast_to(np.asarray(e, np.float64), self.v.shape)
        self.t = t

    shape = property(lambda self: self.v.shape)

    def __getitem__(self, i): return Number(self.v[i], self.t, self.e[i])
    def reshape(self, *shape): return Number(self.v.reshape(*shape), self.t, self.e.reshape(*shape))
    def __neg__(self): return Number(-self.v, self.t, self.e)
    def __abs__(self): return Number(np.abs(self.v), self.t, self.e)
    def __add__(self, b): return _binary(self, b, np.add, lambda a, b: (1, 1))
    def __radd__(self, b): return self + b
    def __sub__(self, b): return _binary(self, b, np.subtract, lambda a, b: (1, 1))
    def __rsub__(self, b): return -self + b
    def __mul__(self, b): return _binary(self, b, np.multiply, lambda a, b: (np.abs(b), np.abs(a)))
    def __rmul__(self, b): return self * b

    def __truediv__(self, b):
        return _binary(self, b, np.divide, lambda a, b: (1 / np.abs(b), np.abs(a) / (b * b)))

    def __rtruediv__(self, a): return _number(a, self.t) / self


def _number(x, t):
    """A literal takes the type of the other operand."""
    return x if isinstance(x, Number) else Number(round_to(t, np.float64(x)), t)


def _scaled(slope, e):
    """slope * e, where no error stays none even at an infinite slope."""
    return np.where(e == 0, 0, slope * e * 1.01)


def _rounded(v, e, t, ulp=0):
    """A result of type t: exact operands give its nearest value, others half an ulp more (and as
    much for this computation, in f64)."""
    if ulp == 0:
        near = round_to(t, v)
        return Number(np.where(e == 0, near, v), t,
                      np.where(e == 0, 0, e + np.abs(v) * EPS[t] / (1 if t == 'f64' else 2) + TINY[t]))
    if t in ('f16', 'bf16'):
        return Number(v, t, e + np.abs(v) * (ulp * EPS['f32'] + EPS[t] / 2) + TINY[t])
    return Number(v, t, e + np.abs(v) * (ulp + 0.5 + (t == 'f64')) * EPS[t] + TINY[t])


def _binary(a, b, f, slopes):
    a = _number(a, b.t if isinstance(b, Number) else None)
    b = _number(b, a.t)
    t = a.t if RANK[a.t] >= RANK[b.t] else b.t
    sa, sb = slopes(a.v, b.v)
    return _rounded(f(a.v, b.v), _scaled(sa, a.e) + _scaled(sb, b.e), t)


def cast(x, t):
    if t in F8:
        return Number(round_to(t, x.v), t, x.e)
    if RANK[t] >= RANK[x.t] and x.t != t and t not in ('f16', 'bf16'):
        return Number(x.v, t, x.e)
    return x if t == x.t else _rounded(x.v, x.e, t)


def _function(name, f):
    """A function of one operand: its own error, and how far the operand's moves the result."""
    def apply(x):
        v = f(x.v)
        moved = np.fmax(np.abs(f(x.v + x.e) - v), np.abs(f(x.v - x.e) - v))
        return _rounded(v, np.where(x.e == 0, 0, moved * 1.01), x.t, ULP.get(name, 0))
    return apply


exp = _function('exp', np.exp)
exp2 = _function('exp2', np.exp2)
expm1 = _function('expm1', np.expm1)
log = _function('log', np.log)
log2 = _function('log2', np.log2)
log1p = _function('log1p', np.log1p)
sqrt = _function('sqrt', np.sqrt)
rsqrt = _function('rsqrt', lambda v: 1 / np.sqrt(v))
sigmoid = _function('sigmoid', lambda v: np.where(v < 0, np.exp(v) / (1 + np.exp(v)), 1 / (1 + np.exp(-v))))
sin = _function('sin', np.sin)
cos = _function('cos', np.cos)
tan = _function('tan', np.tan)
tanh = _function('tanh', np.tanh)
sinh = _function('sinh', np.sinh)
cosh = _function('cosh', np.cosh)
erf = _function('erf', np.vectorize(math.erf, otypes=[np.float64]))
floor = _function('floor', np.floor)
ceil = _function('ceil', np.ceil)
trunc = _function('trunc', np.trunc)
sign = _function('sign', np.sign)
nearest = _function('round', lambda v: np.copysign(np.floor(np.abs(v) + 0.5), v))


def power(a, b):
    return _rounded(np.power(a.v, b.v), np.zeros(a.shape), a.t, ULP['pow'])


def atan2(a, b):
    return _rounded(np.arctan2(a.v, b.v), np.zeros(a.shape), a.t, ULP['atan2'])


def fma(a, b, c):
    """One rounding; in long double, whose own rounding is allowed for (a product of two f64)."""
    v = np.asarray(a.v.astype(np.longdouble) * b.v + c.v, np.float64)
    if a.t == 'f64':
        return Number(v, a.t, np.abs(v) * EPS['f64'] + np.abs(a.v * b.v) * EPS['f64'] / 1024)
    return _rounded(v, np.zeros(v.shape), a.t)


def larger(a, b):
    """max: NaN wins, +0 is above -0."""
    return _pick(a, b, lambda x, y: (x > y) | ((x == y) & ~np.signbit(x)))


def smaller(a, b):
    return _pick(a, b, lambda x, y: (x < y) | ((x == y) & np.signbit(x)))


def _pick(a, b, first):
    b = _number(b, a.t)
    v = np.where(np.isnan(a.v) | np.isnan(b.v), np.nan, np.where(first(a.v, b.v), a.v, b.v))
    return Number(v, a.t, np.where((a.e == 0) & (b.e == 0), 0, np.maximum(a.e, b.e)))


def where(c, a, b):
    t = a.t if isinstance(a, Number) else b.t
    a, b = _number(a, t), _number(b, t)
    return Number(np.where(c, a.v, b.v), t, np.where(c, a.e, b.e))


# ---- reductions ---------------------------------------------------------------------------------


def _count(shape, axis):
    axes = range(len(shape)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    return math.prod(shape[a] for a in axes)


def total(x, axis=None, keepdims=False):
    """sum: of 16-bit types in f32, rounded once."""
    eps = EPS['f32' if x.t in ('f16', 'bf16') else x.t]
    k = dict(axis=axis, keepdims=keepdims)
    v = np.sum(x.v, **k)
    e = np.sum(x.e, **k) + np.where(
        _count(x.shape, axis) > 1,
        (8 + 2 * math.sqrt(_count(x.shape, axis))) * eps * np.sum(np.abs(x.v), **k), 0)
    return _rounded(v, e, x.t) if x.t in ('f16', 'bf16') else Number(v, x.t, e)


def mean(x, axis=None, keepdims=False):
    t = x.t
    n = np.float64(_count(x.shape, axis))
    s = total(cast(x, 'f32') if t in ('f16', 'bf16') else x, axis, keepdims)
    return cast(s / Number(np.full(s.shape, n), s.t), t)


def product(x, axis=None):
    v = np.prod(x.v, axis=axis)
    n = _count(x.shape, axis)
    eps = EPS['f32' if x.t in ('f16', 'bf16') else x.t]
    return _rounded(v, np.abs(v) * n * eps + TINY[x.t] * (n > 1), x.t)


def highest(x, axis=None, keepdims=False):
    k = dict(axis=axis, keepdims=keepdims)
    return Number(np.max(x.v, initial=-np.inf, **k), x.t, np.max(x.e, initial=0, **k))


def lowest(x, axis=None, keepdims=False):
    return -highest(-x, axis, keepdims)


def argmax(v, axis):
    """The first of equals; NaN counts as the largest; 0 of nothing."""
    if v.shape[axis] == 0:
        return np.zeros(np.delete(v.shape, axis), np.int32)
    return np.argmax(v, axis=axis).astype(np.int32)      # NumPy's takes the first NaN too


def argmin(v, axis):
    """The first of equals; NaN counts as the smallest; 0 of nothing."""
    if v.shape[axis] == 0:
        return np.zeros(np.delete(v.shape, axis), np.int32)
    return np.argmin(v, axis=axis).astype(np.int32)


def contract(a, b, acc=None):
    """mma: the sum of the products along k, in the accumulator's type; f8 in 13 bits between
    promotions."""
    t = acc.t if acc is not None else 'f64' if a.t == 'f64' else 'f32'
    k = a.shape[-1]
    eps = 2.0**-13 if a.t in F8 else EPS[t]
    v, size = a.v @ b.v, np.abs(a.v) @ np.abs(b.v)
    e = a.e @ np.abs(b.v) + np.abs(a.v) @ b.e
    if acc is not None:
        v, size, e = v + acc.v, size + np.abs(acc.v), e + acc.e
    return Number(v, t, e * 1.01 + (8 + 2 * math.sqrt(k)) * eps * size + TINY[t])
