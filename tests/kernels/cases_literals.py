"""cases_literals.py -- the types that literals take, what widens; reductions of every type"""
import math
import numpy as np
from cases_tables import INTS, any_pattern, wrapped
from number import EPS, FLOATS, RAW, Number, argmax, argmin, cast, larger, round_to, where
from table import case, sizes

# ---- literals ------------------------------------------------------------------------------------

MOST = dict(f16=65504.0, bf16=float.fromhex('0x1.fep127'), f32=float.fromhex('0x1.fffffep127'),
            f64=np.finfo(np.float64).max)
ALL = INTS + ('f16', 'bf16', 'f32', 'f64')
NUMBERS = 'add left arm other pads filled carried most least held scalar stored made folded'.split()


def some_numbers(rng, shape, t):
    return rng.integers(0, 20, shape) if t in FLOATS else any_pattern(rng, shape[0], t)


@case('84_literal_tables', 'numbers', 'T: ' + ' '.join(ALL), ''.join(f'{n}: T[N] out; ' for n in NUMBERS)
      + 'x: T[N]; n: i32 = 1', sizes(N=[0, 300]), data=dict(x=some_numbers), table=True)
def _(x, T):
    n = len(x) if T in INTS else len(x.v)
    iota = np.arange(n) % 64 + 2
    if T in FLOATS:
        v, made = x.v, lambda r: Number(round_to(T, np.broadcast_to(np.float64(r), (n,))), T)
        most, least = MOST[T], -MOST[T]
    else:
        info = np.iinfo(RAW[T])
        v, most, least = x.astype(object), int(info.max), int(info.min)
        made = lambda r: np.array([int(a) & (1 << 64) - 1 for a in np.broadcast_to(np.array(r, object), (n,))],
                                  np.uint64).astype(RAW[T])
    return {k: made(r) for k, r in dict(
        add=v + 100, left=7 - v, arm=np.where(v > 3, 7, v), other=np.where(v > 3, v, 5), pads=42, filled=9, carried=6,
        most=most, least=least, held=np.minimum(np.maximum(v, 1), 50), scalar=v + 1, stored=3, made=iota + 1,
        folded=v + 5).items()}


@case('84_literal_tables', 'floats', 'T: f16 bf16 f32 f64', ''.join(f'{n}: T[N] out; ' for n in 'abcdefghj') + 'x: T[N]',
      sizes(N=[0, 300]), same_bits=True, table=True)
def _(x):
    c = lambda v: Number(round_to(x.t, np.full(x.shape, v)), x.t)
    return dict(a=x + 0.1, b=c(1e-40), c=c(-0.0), d=x * -math.inf, e=c(math.nan), f=x * -3e-7, g=256 / x, h=c(65504.0),
                j=c(-5.9e-8))


@case('84_literal_tables', 'wide', '', 'a: f32[N] out; b: f32[N] out; c: f64[N] out; d: f64[N] out; e: i64[N] out; '
      'f: u64[N] out; g: i64[N] out; h: f64[N] out; j: i32[N] out; k: i64[N] out; x: i64[N]', sizes(N=[0, 100]),
      same_bits=True, table=True)
def _(x):
    f = lambda v, t: Number(np.full(x.shape, v), t)
    return dict(a=f(MOST['f32'], 'f32'), b=f(float(np.float32(-1.17549421e-38)), 'f32'), c=f(1e-320, 'f64'),
                d=f(0.1, 'f64'), e=x + 90000000000, f=np.full(x.shape, 2**64 - 1, np.uint64), g=np.full(x.shape, -2**63),
                h=f(1 * 0.1 * 3, 'f64'), j=np.full(x.shape, -2**31, np.int32), k=x * 5000000000)


@case('84_literal_tables', 'widened', '', 'hf: f32[N] out; bf: f32[N] out; hd: f64[N] out; fd: f64[N] out; ii: i32[N] out; '
      'll: i64[N] out; uu: u16[N] out; vv: u64[N] out; less: bool[N] out; pick: f32[N] out; top: i16[N] out; acc: f64[N] out; '
      'h: f16[N]; b: bf16[N]; f: f32[N]; d: f64[N]; i1: i8[N]; i2: i16[N]; i4: i32[N]; i8_: i64[N]; u1: u8[N]; u2: u16[N]; '
      'u8_: u64[N]', sizes(N=[0, 300]), same_bits=True, table=True,
      data=dict({k: lambda rng, shape, t: any_pattern(rng, shape[0], t) for k in 'i1 i2 i4 i8_ u1 u2'.split()},
                u8_=lambda rng, shape, t: rng.integers(0, 12, shape)))
def _(h, b, f, d, i1, i2, i4, i8_, u1, u2, u8_):
    x, s = cast(h, 'f32'), d + cast(h, 'f64')
    return dict(hf=x * f, bf=cast(b, 'f32') + f, hd=cast(h, 'f64') - d, fd=cast(f, 'f64') / d, ii=i1.astype(np.int32) * i4,
                ll=i2 * i8_ + i1, uu=u1 * u2, vv=np.array([int(a) << int(n) & 255 for a, n in zip(u1, u8_)], np.uint64),
                less=(h.v < f.v) & (i1 > i4) | (u2 == u8_), pick=where(h.v > f.v, x, f), top=np.maximum(i1, i2),
                acc=cast(f * x, 'f64') + s)


# ---- reductions ----------------------------------------------------------------------------------

REDUCED = ('hi: T[M, ceil(N, 37)] out; lo: T[ceil(M, 4), N] out; at: i32[M, ceil(N, 37)] out; least: i32[ceil(M, 4), N] out; '
           'flat: i32[ceil(M, 4), ceil(N, 37)] out; x: T[M, N]')
SIZES = sizes(M=[1, 6], N=[1, 36, 37, 75])


def along(f, x, axis, step):
    """f of pieces of `step` along an axis: an axis of so many results."""
    parts = [f(np.take(x, range(k, min(k + step, x.shape[axis])), axis)) for k in range(0, x.shape[axis], step)]
    return np.concatenate([np.expand_dims(p, axis) for p in parts], axis)


def flat_places(x, place):
    """The place in a tile [4, 37] of the first extreme of what lies inside x, row by row."""
    found = np.zeros((-(-x.shape[0] // 4), -(-x.shape[1] // 37)), np.int32)
    for i, j in np.ndindex(*found.shape):
        piece = x[4 * i:4 * i + 4, 37 * j:37 * j + 37]
        found[i, j] = place(piece.ravel(), 0) // piece.shape[1] * 37 + place(piece.ravel(), 0) % piece.shape[1]
    return found


def few_values(rng, shape, t):
    """Ties, and the ends of the range."""
    if t in FLOATS:
        rows = rng.choice([0.0, -0.0, 1.0, -1.0, 2.5, -math.inf, math.inf, math.nan], shape, p=[.2, .2, .1, .2, .1, .1, .05, .05])
        kind = rng.integers(0, 6, shape[:1])[:, None]
        rows = np.where(kind == 0, -math.inf, np.where(kind == 1, rng.choice([0.0, -0.0], shape), rows))
        return np.where(kind == 2, np.where(np.isnan(rows), 1.0, rows), rows)
    info = np.iinfo(RAW[t])
    rows = rng.choice(np.array([info.min, info.min + 1, 0, 1, 3, info.max], RAW[t]), shape)
    kind = rng.integers(0, 4, shape[:1])[:, None]
    return np.where(kind == 0, RAW[t](info.min), np.where(kind == 1, RAW[t](info.max), rows)).astype(RAW[t])


def extremes(x):
    """max, min and their places; of floats by total order of zeros, NaN first."""
    v = x.v if isinstance(x, Number) else x
    hi = lambda p, a: np.max(p, a) if not isinstance(x, Number) else zeros(np.max(p, a), p, a, np.any)
    lo = lambda p, a: np.min(p, a) if not isinstance(x, Number) else zeros(np.min(p, a), p, a, np.all)
    out = dict(hi=along(lambda p: hi(p, 1), v, 1, 37), lo=along(lambda p: lo(p, 0), v, 0, 4))
    if isinstance(x, Number):
        out = {k: Number(r, x.t) for k, r in out.items()}
    return dict(out, at=along(lambda p: argmax(p, 1), v, 1, 37), least=along(lambda p: argmin(p, 0), v, 0, 4),
                flat=flat_places(v, argmax))


def zeros(best, p, axis, which):
    """Of zeros: +0 is the largest if any is, the smallest if all are."""
    positive = which(~np.signbit(p) | (p != 0), axis)
    return np.where(best == 0, np.where(positive, 0.0, -0.0), best)


for kernel, types, acc in (('small', 'i8 i16 i32', 'i32'), ('small_unsigned', 'u8 u16 u32', 'u32'), ('alike', 'i64 u64', 'T')):
    @case('85_reduce_tables', kernel, 'T: ' + types, f's: {acc}[M, ceil(N, 37)] out; p: {acc}[ceil(M, 4), N] out; ' + REDUCED,
          SIZES, data=dict(x=few_values), table=True)
    def _(x):
        t = x.dtype if x.dtype.itemsize == 8 else np.int32 if x.dtype.kind == 'i' else np.uint32
        return dict(extremes(x), s=along(lambda p: np.sum(p, 1, dtype=t), x, 1, 37),
                    p=along(lambda p: np.prod(p, 0, dtype=t), x, 0, 4))


@case('85_reduce_tables', 'alike', 'T: f16 bf16 f32 f64', 's: T[M, ceil(N, 37)] out; p: T[ceil(M, 4), N] out; ' + REDUCED,
      SIZES, data=dict(x=few_values), same_bits=True, table=True)
def _(x):
    s, p = along(lambda p: np.sum(p, 1), x.v, 1, 37), along(lambda p: np.prod(p, 0), x.v, 0, 4)
    signed = lambda r: Number(np.where(r == 0, 0.0, r), x.t, np.where(r == 0, 1e-300, 0))   # a zero of either sign
    return dict(extremes(x), s=signed(s), p=signed(p))


@case('85_reduce_tables', 'rows', 'T: i8 u16 i64 f16 f64', 'hi: T[M] out; lo: T[M] out; at: i32[M] out; least: i32[M] out; '
      'x: T[M, N]', lambda edges: sizes(M=[5], N=[1, 31, 300]) + sizes(M=[2], N=[2500, 20000]), data=dict(x=few_values),
      same_bits=True, table=True)
def _(x):
    v = x.v if isinstance(x, Number) else x
    if not isinstance(x, Number):
        hi, lo = np.max(v, 1), np.min(v, 1)
    else:
        hi, lo = Number(zeros(np.max(v, 1), v, 1, np.any), x.t), Number(zeros(np.min(v, 1), v, 1, np.all), x.t)
    return dict(hi=hi, lo=lo, at=argmax(v, 1), least=argmin(v, 1))


@case('85_reduce_tables', 'bools', '', 's: i32[M, ceil(N, 37)] out; p: i32[ceil(M, 4), N] out; '
      'some: bool[M, ceil(N, 37)] out; every: bool[ceil(M, 4), N] out; x: bool[M, N]', SIZES,
      data=dict(x=lambda rng, shape, t: rng.random(shape) < rng.choice([0, 0.1, 0.9, 1], (shape[0], 1))), table=True)
def _(x):
    return dict(s=along(lambda p: np.sum(p, 1), x, 1, 37), p=along(lambda p: np.prod(p, 0), x, 0, 4),
                some=along(lambda p: np.any(p, 1), x, 1, 37), every=along(lambda p: np.all(p, 0), x, 0, 4))


@case('85_reduce_tables', 'rounded', 'T: f16 bf16', 's: T[M, ceil(N, 37)] out; m: T[ceil(M, 4), N] out; x: T[M, N]', SIZES,
      data=dict(x=lambda rng, shape, t: rng.integers(-128, 128, shape) * (2 / EPS[t] / 128)), same_bits=True, table=True)
def _(x):
    mean = lambda p: (np.sum(p, 0) / np.float32(p.shape[0])).astype(np.float32).astype(np.float64)
    return dict(s=Number(round_to(x.t, along(lambda p: np.sum(p, 1), x.v, 1, 37)), x.t),
                m=Number(round_to(x.t, along(mean, x.v, 0, 4)), x.t))
