"""formulas.py -- op_reference, cast_reference and the CUDA texts against formulas of their own

usage: formulas.py PROBE [texts]     (probe.c, compiled; or what texts.c prints)

Integers of 8 bits: all pairs. Floats of 16 and 8 bits: all values, rounding by search in the table
of all values. Wider types: edge values and random ones, in exact rational arithmetic.
"""
import itertools
import subprocess
import sys
from fractions import Fraction
import numpy as np

PROBE = sys.argv[1]
TEXTS = sys.argv[2:] == ['texts']           # texts for f32, f64, integers, bool; casts by to_int
counts = {'passed': 0, 'failed': 0}
np.seterr(all='ignore')

INTS = {'i8': np.int8, 'i16': np.int16, 'i32': np.int32, 'i64': np.int64,
        'u8': np.uint8, 'u16': np.uint16, 'u32': np.uint32, 'u64': np.uint64}
RAW = dict(INTS, bool=np.uint8, f16=np.uint16, bf16=np.uint16, f32=np.uint32, f64=np.uint64,
           f8e4m3=np.uint8, f8e5m2=np.uint8)


def probe(args, columns):
    """The results, raw, for operands given as columns of one raw type."""
    data = np.stack(columns, axis=1).tobytes()
    done = subprocess.run([PROBE] + args, input=data, stdout=subprocess.PIPE, check=True)
    return done.stdout


def expect(what, got, want, operands=None):
    """One test: all elements are equal."""
    wrong = np.nonzero(got != want)[0]
    if len(got) == len(want) and not len(wrong):
        counts['passed'] += 1
        return
    counts['failed'] += 1
    i = wrong[0] if len(wrong) else 0
    print(f'{what}: {len(wrong)} wrong; first: {[c[i] for c in operands or []]} '
          f'gives {got[i]}, not {want[i]}')


# ---- integers: Python's own, then wrapped ------------------------------------------------------

def wrap(v, bits, signed):
    v &= (1 << bits) - 1
    return v - (1 << bits) if signed and v >> (bits - 1) else v


def trunc_div(a, b):
    return 0 if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


INT_OPS = {
    'add': lambda a, b, n: a + b, 'sub': lambda a, b, n: a - b, 'mul': lambda a, b, n: a * b,
    'div': lambda a, b, n: trunc_div(a, b),
    'rem': lambda a, b, n: a if b == 0 else a - trunc_div(a, b) * b,
    'floordiv': lambda a, b, n: 0 if b == 0 else a // b,
    'mod': lambda a, b, n: a if b == 0 else a % b,
    'ceildiv': lambda a, b, n: 0 if b == 0 else -(-a // b),
    'and': lambda a, b, n: a & b, 'or': lambda a, b, n: a | b, 'xor': lambda a, b, n: a ^ b,
    'shl': lambda a, b, n: a << b if 0 <= b < n else 0,
    'shr': lambda a, b, n: a >> b if 0 <= b < n else (-1 if a < 0 else 0),
    'max': lambda a, b, n: max(a, b), 'min': lambda a, b, n: min(a, b),
    'maxnum': lambda a, b, n: max(a, b), 'minnum': lambda a, b, n: min(a, b),
    'lt': lambda a, b, n: a < b, 'le': lambda a, b, n: a <= b, 'gt': lambda a, b, n: a > b,
    'ge': lambda a, b, n: a >= b, 'eq': lambda a, b, n: a == b, 'ne': lambda a, b, n: a != b,
    'neg': lambda a, n: -a, 'not': lambda a, n: ~a, 'abs': lambda a, n: abs(a),
    'sign': lambda a, n: (a > 0) - (a < 0),
    'clamp': lambda a, b, c, n: min(max(a, b), c),
}
COMPARE = ('lt', 'le', 'gt', 'ge', 'eq', 'ne')


def int_values(name):
    """All of 8 bits; of wider types the edges and some between."""
    info = np.iinfo(INTS[name])
    if info.bits == 8:
        return list(range(info.min, info.max + 1))
    edges = [0, 1, 2, 3, 7, 8, 15, 16, 31, 32, 63, 64, 65, 100, 255, 256, info.max, info.max - 1,
             info.max // 2, info.max // 3, -1, -2, -3, -7, -8, -31, -64, -100, info.min,
             info.min + 1, info.min // 2, info.min // 3]
    return sorted({v for v in edges if info.min <= v <= info.max})


def test_ints():
    for name, dtype in INTS.items():
        info = np.iinfo(dtype)
        signed, values = info.min < 0, int_values(name)
        for op, f in INT_OPS.items():
            arity = f.__code__.co_argcount - 1
            some = values if arity < 3 or len(values) < 64 else values[::17]
            rows = list(itertools.product(some, repeat=arity))
            columns = [np.array(c, dtype) for c in zip(*rows)]
            out = bool if op in COMPARE else dtype
            got = np.frombuffer(probe(['op', op, name], columns), out)
            want = np.array([f(*row, info.bits) if op in COMPARE else
                             wrap(f(*row, info.bits), info.bits, signed) for row in rows], out)
            expect(f'{op} {name}', got, want, columns)


def test_bools():
    a, b = np.array([0, 0, 1, 1], np.uint8), np.array([0, 1, 0, 1], np.uint8)
    for op, want in {'and': a & b, 'or': a | b, 'xor': a ^ b, 'land': a & b, 'lor': a | b,
                     'eq': a == b, 'ne': a != b}.items():
        expect(f'{op} bool', np.frombuffer(probe(['op', op, 'bool'], [a, b]), np.uint8), want)
    expect('lnot bool', np.frombuffer(probe(['op', 'lnot', 'bool'], [a]), np.uint8), 1 - a)


# ---- floats: each type as the table of all its values, or as NumPy has it ------------------------

def f8_table(exponent_bits, bias):
    fraction_bits = 7 - exponent_bits
    table = []
    for code in range(256):
        e, m = code >> fraction_bits & (1 << exponent_bits) - 1, code & (1 << fraction_bits) - 1
        v = (m if e == 0 else m + (1 << fraction_bits)) * 2.0**(max(e, 1) - bias - fraction_bits)
        if exponent_bits == 4 and code & 127 == 127:
            v = np.nan
        elif exponent_bits == 5 and e == 31:
            v = np.nan if m else np.inf
        table.append(-v if code & 128 else v)
    return np.array(table)


TABLE = {
    'f16': np.arange(65536, dtype=np.uint16).view(np.float16).astype(np.float64),
    'bf16': (np.arange(65536, dtype=np.uint32) << 16).view(np.float32).astype(np.float64),
    'f8e4m3': f8_table(4, 7), 'f8e5m2': f8_table(5, 15),
}
WIDE = {'f32': np.float32, 'f64': np.float64}
FLOATS = ('f32', 'f64') if TEXTS else ('f16', 'bf16', 'f32', 'f64')
SATURATES = ('f8e4m3', 'f8e5m2')


def values_of(name, raw):
    """Raw elements as float64."""
    raw = np.asarray(raw, RAW[name])
    return TABLE[name][raw] if name in TABLE else raw.view(WIDE[name]).astype(np.float64)


class Grid:
    """The finite values >= 0 of a small float type, in order; their index is their bits."""
    def __init__(self, name):
        table = TABLE[name][:len(TABLE[name]) // 2]
        self.values = [Fraction(v) for v in table[np.isfinite(table)]]
        self.floats = table[np.isfinite(table)]
        self.top = self.values[-1] + (self.values[-1] - self.values[-2]) / 2
        self.inf = 0.0 if name in SATURATES else np.inf

    def round(self, v):
        """The nearest to an exact Fraction, ties to even bits, as a float."""
        magnitude = abs(v)
        if magnitude >= self.top:
            nearest = self.inf or self.floats[-1]
        else:
            i = int(np.searchsorted(self.floats, float(magnitude)))
            i = max(1, min(i, len(self.values) - 1))
            best = min(range(max(0, i - 2), min(len(self.values), i + 2)),
                       key=lambda k: (abs(self.values[k] - magnitude), k % 2))
            nearest = self.floats[best]
        return -nearest if v < 0 else nearest


GRID = {name: Grid(name) for name in TABLE}


def round_to(name, v):
    """An exact Fraction, or a float that is NaN, infinite or a zero, in a float type."""
    if isinstance(v, float) and not np.isfinite(v):
        if np.isinf(v) and name in SATURATES:
            return np.copysign(GRID[name].floats[-1], v)
        return v
    if isinstance(v, float):
        return v
    if name in GRID:
        return GRID[name].round(v)
    return round_wide(name, v)


def round_wide(name, v):
    """To f32 or f64: by the integer significand."""
    bits, least, most = (24, -149, 2**128 - 2**103) if name == 'f32' else (53, -1074, 2**1024 - 2**970)
    if v == 0:
        return 0.0
    m = abs(v)
    e = m.numerator.bit_length() - m.denominator.bit_length()
    e = e if m >= Fraction(2)**e else e - 1
    last = max(e - bits + 1, least)
    q = m / Fraction(2)**last
    r = round(q) * Fraction(2)**last                    # Python's round: halves to even
    result = np.inf if r >= most else float(r)
    return -result if v < 0 else result


def same(a, b):
    """Equal as floats: the sign of zero counts, NaN equals NaN."""
    a, b = np.asarray(a, np.float64), np.asarray(b, np.float64)
    return (np.isnan(a) & np.isnan(b)) | ((a == b) & (np.signbit(a) == np.signbit(b)))


def expect_floats(what, got, want, operands):
    ok = same(got, want)
    expect(what, ok, np.ones(len(ok), bool), list(operands) + [got, np.asarray(want)])


def float_samples(name, n, seed):
    """Raw elements: all of 8 bits, of 16 bits all or some, of wider types edges and random ones."""
    bits = RAW[name](0).nbytes * 8
    if 1 << bits <= n:
        return np.arange(1 << bits, dtype=RAW[name])
    random = np.random.default_rng(seed)
    some = random.integers(0, 1 << bits, n, RAW[name], endpoint=False) if bits < 64 else \
        random.integers(0, 2**64, n, np.uint64)
    if name in WIDE:
        edges = np.array([0.0, -0.0, 1, -1, 0.5, 1.5, 2.5, -2.5, 3, 1e-40, 1e30, -1e30, np.inf,
                          -np.inf, np.nan, 16777217, 257, 260, 33024, 65504, 65520, 65519.99, 448,
                          464, 465, 57344, 61440, 2**31, 2**31 - 1, -2.0**31, -2.0**31 - 1, 2.0**63,
                          -2.0**63, 2.0**64, 255.5, 256, -0.5, -1.5, 1 + 2.0**-12, 2.0**-149],
                         WIDE[name]).view(RAW[name])
        near = (random.standard_normal(n) * 2.0**random.integers(-30, 30, n)).astype(WIDE[name])
        return np.concatenate([edges, some, near.view(RAW[name])])
    edges = np.nonzero(np.isnan(TABLE[name]) | np.isinf(TABLE[name]))[0][:4]
    return np.concatenate([[0, 1 << (bits - 1)], edges, some]).astype(RAW[name])


def exact(v):
    """As a Fraction, where it is finite and no zero."""
    return Fraction(v) if np.isfinite(v) and v != 0 else float(v)


def exact_arithmetic(op, name, operands):
    """The correctly rounded result; special values by NumPy's double arithmetic."""
    f = {'add': lambda a, b: a + b, 'sub': lambda a, b: a - b, 'mul': lambda a, b: a * b,
         'div': lambda a, b: a / b, 'fma': lambda a, b, c: a * b + c}[op]
    if all(np.isfinite(v) for v in operands) and not (op == 'div' and operands[1] == 0):
        r = f(*[Fraction(v) for v in operands])
        if r != 0:
            return round_to(name, r)
    if op == 'fma' and np.isfinite(operands[0]) and np.isfinite(operands[1]):
        a, b, c = operands
        product = np.copysign(0.0 if a == 0 or b == 0 else 1.0, np.signbit(a) ^ np.signbit(b) and -1.0
                              or 1.0)
        return float(product + c) if product == 0 or not np.isfinite(c) else 0.0
    return round_to(name, exact(f(*[np.float64(v) for v in operands])))


def test_arithmetic():
    for name in FLOATS:
        for op, arity in (('add', 2), ('sub', 2), ('mul', 2), ('div', 2), ('fma', 3)):
            raw = [float_samples(name, 1500, 7 * k + arity) for k in range(arity)]
            raw[1] = np.roll(raw[1], 3)
            if arity == 3:
                raw[2] = np.roll(raw[2], 11)
            columns = [values_of(name, r) for r in raw]
            got = values_of(name, np.frombuffer(probe(['op', op, name], raw), RAW[name]))
            want = [exact_arithmetic(op, name, row) for row in zip(*columns)]
            expect_floats(f'{op} {name}', got, want, columns)
        test_fma_ties(name)


def test_fma_ties(name):
    """Products that end just beside the middle of two neighbours."""
    one = {'f16': 11, 'bf16': 8, 'f32': 24, 'f64': 53}[name] - 1
    step = 2.0**-one
    rows = [(1 + i * step, 1 + j * step, s * 2.0**-k * step) for i in (1, 2, 3, 5) for j in (1, 3, 5)
            for k in (1, one // 2, one, 12) for s in (1.0, -1.0)]
    rows += [(a, b, c * 2.0**(one + 1)) for a, b, c in rows]
    columns = [np.array(c) for c in zip(*rows)]
    def raw_of(v):
        if name in WIDE:
            return v.astype(WIDE[name]).view(RAW[name])
        return np.array([np.nonzero(same(TABLE[name], round_to(name, Fraction(x))))[0][0] for x in v],
                        RAW[name])
    raw = [raw_of(c) for c in columns]
    columns = [values_of(name, r) for r in raw]
    got = values_of(name, np.frombuffer(probe(['op', 'fma', name], raw), RAW[name]))
    want = [exact_arithmetic('fma', name, row) for row in zip(*columns)]
    expect_floats(f'fma ties {name}', got, want, columns)


def test_unary():
    """Every value of 16 bits; each result is exact, so NumPy's on doubles is right."""
    ops = {'neg': np.negative, 'abs': np.abs, 'floor': np.floor, 'ceil': np.ceil,
           'trunc': np.trunc, 'round': lambda v: np.copysign(np.trunc(np.abs(v)) + (np.abs(v) % 1 >= 0.5), v),
           'sign': lambda v: np.where(np.isnan(v), v, np.sign(v) + 0.0)}
    for name in FLOATS:
        raw = float_samples(name, 65536, 1)
        v = values_of(name, raw)
        for op, f in ops.items():
            got = values_of(name, np.frombuffer(probe(['op', op, name], [raw]), RAW[name]))
            expect_floats(f'{op} {name}', got, f(v), [v])
        for op, f in (('isnan', np.isnan), ('isinf', np.isinf)):
            expect(f'{op} {name}', np.frombuffer(probe(['op', op, name], [raw]), bool), f(v), [v])


def maximum(a, b):
    if np.isnan(a) or np.isnan(b):
        return np.nan
    if a == b:
        return a if not np.signbit(a) else b
    return max(a, b)


def test_order():
    """Comparisons, maxima: NaN, infinities, both zeros."""
    number = lambda f: lambda a, b: b if np.isnan(a) else a if np.isnan(b) else f(a, b)
    minimum = lambda a, b: -maximum(-a, -b)
    ops = {'max': maximum, 'min': minimum, 'maxnum': number(maximum), 'minnum': number(minimum)}
    compare = {'lt': np.less, 'le': np.less_equal, 'gt': np.greater, 'ge': np.greater_equal,
               'eq': np.equal, 'ne': np.not_equal}
    special = np.array([0.0, -0.0, 1, -1, 2, np.inf, -np.inf, np.nan, 65504])
    pairs = np.array(list(itertools.product(special, repeat=2)))
    for name in FLOATS:
        def raw(v):
            if name == 'bf16':
                return (v.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
            return v.astype({'f16': np.float16}.get(name) or WIDE[name]).view(RAW[name])
        columns = [raw(pairs[:, 0]), raw(pairs[:, 1])]
        v = [values_of(name, c) for c in columns]
        for op, f in ops.items():
            got = values_of(name, np.frombuffer(probe(['op', op, name], columns), RAW[name]))
            expect_floats(f'{op} {name}', got, [f(*p) for p in zip(*v)], v)
        for op, f in compare.items():
            got = np.frombuffer(probe(['op', op, name], columns), bool)
            expect(f'{op} {name}', got, f(*v), v)


def test_functions():
    """f32 and f64 against 80-bit arithmetic: the reference of f32 is rounded once, the rest near."""
    x = np.concatenate([np.linspace(-20, 20, 2001), 2.0**np.linspace(-20, 10, 500)])
    longs = {'exp': np.exp, 'exp2': np.exp2, 'expm1': np.expm1, 'log': np.log, 'log2': np.log2,
             'log1p': np.log1p, 'sqrt': np.sqrt, 'sin': np.sin, 'cos': np.cos, 'tan': np.tan,
             'tanh': np.tanh, 'sinh': np.sinh, 'cosh': np.cosh, 'rsqrt': lambda v: 1 / np.sqrt(v),
             'sigmoid': lambda v: 1 / (1 + np.exp(-v))}
    for name, dtype, bound in (('f32', np.float32, 4.0 if TEXTS else 0.501), ('f64', np.float64, 4.0)):
        v = x.astype(dtype)
        for op, f in longs.items():
            got = np.frombuffer(probe(['op', op, name], [v.view(RAW[name])]), dtype)
            want = f(v.astype(np.longdouble))
            finite = np.abs(want) <= np.finfo(dtype).max
            error = np.abs(got.astype(np.longdouble) - want)[finite] / np.spacing(
                np.abs(want[finite]).astype(dtype)).astype(np.longdouble)
            ok = np.all(error <= bound) and np.all(same(got[~finite], want[~finite].astype(dtype)))
            expect(f'{op} {name}', np.array([bool(ok)]), np.array([True]), [[error.max()]])


# ---- casts ---------------------------------------------------------------------------------------

def cast(source, target, v):
    """v, an int or a float, as type target holds it."""
    if target == 'bool':
        return int(v != 0)
    if target in INTS:
        info = np.iinfo(INTS[target])
        if source in INTS or source == 'bool':
            return wrap(int(v), info.bits, info.min < 0)
        if np.isnan(v):
            return 0
        if np.isinf(v):
            return info.max if v > 0 else info.min
        return min(max(int(v), info.min), info.max)
    if source in INTS or source == 'bool':
        return round_to(target, Fraction(int(v))) if v else 0.0
    return round_to(target, exact(float(v)))


def cast_samples(source):
    if source == 'bool':
        raw = np.array([0, 1], np.uint8)
        return raw, raw.tolist()
    if source in INTS:
        values = int_values(source)
        if source in ('i64', 'u64', 'i32', 'u32'):
            near = [s * (2**k * m // 2 + d) for k in range(1, 63) for m in (2, 3) for d in (-1, 0, 1)
                    for s in (1, -1)]
            near += [s * (257 * 2**k + d) for k in range(0, 54) for d in (-1, 0, 1) for s in (1, -1)]
            info = np.iinfo(INTS[source])
            values += [v for v in near if info.min <= v <= info.max]
        return np.array(values, INTS[source]), values
    raw = float_samples(source, 4000 if source in WIDE else 65536, 3)
    if source in ('f16', 'bf16'):
        raw = raw[::5]
    return raw, values_of(source, raw).tolist()


def test_casts():
    for source in WIDE if TEXTS else RAW:
        raw, values = cast_samples(source)
        for target in INTS if TEXTS else RAW:
            got = np.frombuffer(probe(['cast', source, target], [raw]), RAW[target])
            want = [cast(source, target, v) for v in values]
            what = f'{source} as {target}'
            if target in INTS or target == 'bool':
                expect(what, got.view(INTS.get(target, np.uint8)),
                       np.array(want, INTS.get(target, np.uint8)), [values])
            else:
                expect_floats(what, values_of(target, got), want, [values])


test_ints()
test_bools()
test_arithmetic()
test_unary()
test_order()
test_functions()
test_casts()
print(f"{counts['passed']} passed, {counts['failed']} failed, 0 skipped")
sys.exit(counts['failed'] != 0)
