"""cases_element.py -- element by element: copies, casts, integers, functions"""
import numpy as np
from inputs import positive, any_float, any_finite, any_int, raw_codes
from number import (Number, atan2, cast, ceil, cos, cosh, encode, decode, erf, exp, exp2, expm1,
                    floor, fma, larger, log, log1p, log2, nearest, power, rsqrt, sigmoid, sign, sin,
                    sinh, smaller, sqrt, tan, tanh, to_int, trunc, where)
from table import around, case, sizes


EVERY = 'T: f32 u8 i8 i16 u16 i32 u32 i64 u64 f16 bf16 f64 f8e4m3 f8e5m2 bool'


@case('30_copy', 'copy', EVERY, 'y: T[N] out; x: T[N]', sizes(N=around(4, 8, 16, 256) + [1001]))
def _(x):
    return x


@case('31_casts', 'from_f32', '', 'h: f16[N] out; b: bf16[N] out; d: f64[N] out; e4: f8e4m3[N] out; e5: f8e5m2[N] out; '
      'x: f32[N]', sizes(N=around(128) + [2000]),
      data=dict(x=lambda rng, shape, t: np.where(rng.integers(0, 2, shape) == 0, any_float(rng, shape, t),
                                                 rng.normal(size=shape) * 2.0**rng.integers(-30, 30, shape))))
def _(x):
    return dict(h=cast(x, 'f16'), b=cast(x, 'bf16'), d=cast(x, 'f64'), e4=cast(x, 'f8e4m3'), e5=cast(x, 'f8e5m2'))


@case('31_casts', 'to_f32', 'T: f16 bf16 f8e4m3 f8e5m2 f64', 'y: f32[N] out; x: T[N]', sizes(N=around(128) + [3000]),
      data=dict(x=raw_codes), same_bits=True)
def _(x):
    return cast(x, 'f32')


@case('31_casts', 'float_to_int', 'T: f32 f16 bf16 f64',
      'a: i8[N] out; b: u16[N] out; c: i32[N] out; d: u64[N] out; e: bool[N] out; x: T[N]', sizes(N=around(128) + [1000]),
      data=dict(x=lambda rng, shape, t: np.where(rng.integers(0, 2, shape) == 0, any_float(rng, shape, t),
                                                 rng.normal(size=shape) * 10.0**rng.integers(0, 5 if t == 'f16' else 21, shape))))
def _(x):
    return dict(a=to_int('i8', x.v), b=to_int('u16', x.v), c=to_int('i32', x.v), d=to_int('u64', x.v), e=x.v != 0)


def float_of_int(t, x):
    """Rounded once, from integers that float64 may not hold."""
    if t == 'f64':
        return np.array([float(int(v)) for v in x.ravel()]).reshape(x.shape)

    def sticky(v):                                             # 40 bits, the last of which says whether there were more
        v, s = abs(int(v)), int(v) < 0
        cut = max(v.bit_length() - 40, 0)
        v = (v >> cut | ((v & (1 << cut) - 1) != 0)) << cut
        return float(-v if s else v)
    return decode(t, encode(t, np.array([sticky(v) for v in x.ravel()]).reshape(x.shape)))


@case('31_casts', 'int_to_all', 'T: i32 i8 u8 u32 i64 u64',
      'h: f16[N] out; b: bf16[N] out; f: f32[N] out; d: f64[N] out; s: i16[N] out; u: u32[N] out; x: T[N]',
      sizes(N=around(128) + [1000]), data=dict(x=any_int))
def _(x):
    floats = {k: Number(float_of_int(t, x), t) for k, t in dict(h='f16', b='bf16', f='f32', d='f64').items()}
    return dict(floats, s=x.astype(np.int16), u=x.astype(np.uint32))


def by_ints(f, a, b):
    """f of Python integers, wrapped to the type of a."""
    bits = a.dtype.itemsize * 8
    wrap = lambda v: v % (1 << bits) - ((1 << bits) if a.dtype.kind == 'i' and v >> bits - 1 & 1 else 0)
    return np.array([wrap(f(int(x), int(y))) for x, y in zip(a.ravel(), b.ravel())], a.dtype).reshape(a.shape)


def quotient(x, y):
    return 0 if y == 0 else abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)


@case('32_integers', 'arithmetic', 'T: i32 i64 u8 u32 i8',
      'q: T[N] out; r: T[N] out; fq: T[N] out; fr: T[N] out; cq: T[N] out; p: T[N] out; a: T[N]; b: T[N]',
      sizes(N=around(128) + [700]), data=dict(a=any_int, b=any_int))
def _(a, b):
    return dict(q=by_ints(quotient, a, b), r=by_ints(lambda x, y: x if y == 0 else x - quotient(x, y) * y, a, b),
                fq=by_ints(lambda x, y: 0 if y == 0 else x // y, a, b),
                fr=by_ints(lambda x, y: x if y == 0 else x % y, a, b),
                cq=by_ints(lambda x, y: 0 if y == 0 else -(-x // y), a, b),
                p=by_ints(lambda x, y: x * y + (x - y), a, b))


def shift_left(x, n):
    return 0 if n < 0 or n > 64 else x << n


def shift_right(x, n, bits):
    return (-1 if x < 0 else 0) if n < 0 or n >= bits else x >> n


@case('32_integers', 'bits', 'T: i32 u32 i64 u8', 'l: T[N] out; r: T[N] out; m: T[N] out; a: T[N]; n: i32[N]',
      sizes(N=around(128) + [700]),
      data=dict(a=any_int, n=lambda rng, shape, t: rng.choice([-1, 0, 1, 5, 7, 8, 31, 32, 33, 63, 64, 100, -2**31], shape)))
def _(a, n):
    bits = a.dtype.itemsize * 8
    return dict(l=by_ints(lambda x, k: shift_left(x, k) if k < bits else 0, a, n),
                r=by_ints(lambda x, k: shift_right(x, k, bits), a, n), m=(a & 12) ^ (a | 5) ^ ~a)


@case('32_integers', 'compare', 'T: i32 u32 f32 f16', 'y: i32[N] out; big: T[N] out; a: T[N]; b: T[N]',
      sizes(N=around(128) + [700]),
      data=dict(a=lambda r, s, t: (any_int if t[0] in 'iu' else any_float)(r, s, t),
                b=lambda r, s, t: (any_int if t[0] in 'iu' else any_float)(r, s, t)))
def _(a, b):
    x, z = (a.v, b.v) if isinstance(a, Number) else (a, b)
    y = (1 * (x < z) + 2 * (x <= z) + 4 * (x > z) + 8 * (x >= z) + 16 * (x == z) + 32 * (x != z) + 64 * ~(x < z))
    return dict(y=y, big=larger(a, b) if isinstance(a, Number) else np.maximum(a, b))


@case('33_math', 'functions', 'T: f32 f64 f16 bf16',
      ''.join(f'r_{f}: T[N] out; ' for f in 'exp exp2 expm1 sin cos tan tanh sinh cosh erf sigmoid floor ceil round '
              'trunc abs sign'.split()) + 'x: T[N]', sizes(N=around(128) + [1000]), data=dict(x=any_float))
def _(x):
    f = dict(exp=exp, exp2=exp2, expm1=expm1, sin=sin, cos=cos, tan=tan, tanh=tanh, sinh=sinh, cosh=cosh, erf=erf,
             sigmoid=sigmoid, floor=floor, ceil=ceil, round=nearest, trunc=trunc, abs=abs, sign=sign)
    return {'r_' + name: g(x) for name, g in f.items()}


@case('33_math', 'of_positive', 'T: f32 f64 f16 bf16',
      ''.join(f'r_{f}: T[N] out; ' for f in 'log log2 log1p sqrt rsqrt pow atan2 fma'.split()) + 'x: T[N]; y: T[N]',
      sizes(N=around(128) + [1000]), data=dict(x=positive, y=any_finite))
def _(x, y):
    return dict(r_log=log(x), r_log2=log2(x), r_log1p=log1p(x), r_sqrt=sqrt(x), r_rsqrt=rsqrt(x), r_pow=power(x, y),
                r_atan2=atan2(x, y), r_fma=fma(x, y, x))


@case('33_math', 'fast', 'T: f32 f64 f16 bf16',
      ''.join(f'r_{f}: T[N] out; ' for f in 'exp log log2 sin cos pow div sigmoid'.split()) + 'x: T[N]; y: T[N]',
      sizes(N=around(128)), data=dict(x=positive, y=any_finite))
def _(x, y):
    x, y = smaller(larger(x, 0.25), 3.0), smaller(larger(y, -3.0), 3.0)
    made = dict(exp=exp(y), log=log(x), log2=log2(x), sin=sin(y), cos=cos(y), pow=power(x, y), div=y / x,
                sigmoid=sigmoid(y))
    return {'r_' + n: Number(v.v, v.t, v.e + 2.0 ** -18 * np.fmax(np.abs(v.v), 1)) for n, v in made.items()}


@case('33_math', 'separate', 'T: f32 f64 f16 bf16', 'p: T[N] out; q: T[N] out; r: T[N] out; s: T[N] out; x: T[N]; y: T[N]',
      sizes(N=around(128) + [1000]), same_bits=True)
def _(x, y):
    return dict(p=x * y + x, q=x - x * y, r=x * x - y * y, s=x / y + y)


@case('33_math', 'nans', 'T: f32 f64 f16 bf16',
      'mx: T[N] out; mn: T[N] out; mxn: T[N] out; mnn: T[N] out; cl: T[N] out; is: bool[N] out; x: T[N]; y: T[N]',
      sizes(N=around(128) + [1000]), data=dict(x=any_float, y=any_float), same_bits=True)
def _(x, y):
    mx, mn = larger(x, y), smaller(x, y)
    ignore = lambda m: where(np.isnan(x.v), y, where(np.isnan(y.v), x, m))
    return {'mx': mx, 'mn': mn, 'mxn': ignore(mx), 'mnn': ignore(mn), 'cl': smaller(larger(x, -1.0), 1.0),
            'is': np.isnan(x.v) | np.isinf(y.v)}
