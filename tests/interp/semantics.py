"""semantics.py -- the tables of docs/language.md through `tilec run`, against NumPy

usage: semantics.py TILEC [--check] [--on=cpu] [NAME ...]

--check: what is looked at has gone through simplify. NAME: the tests whose names contain it.
"""
import os
import subprocess
import sys
import tempfile
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
TILEC = sys.argv[1]
OPTIONS = [a for a in sys.argv[2:] if a.startswith('--')]
WANTED = [a for a in sys.argv[2:] if not a.startswith('--')]
np.seterr(all='ignore')
TESTS = []
counts = {'passed': 0, 'failed': 0}


class Refused(Exception):
    """tilec ended with another status than 0."""


def test(f):
    TESTS.append(f)
    return f


def raw_bf16(v):
    """bfloat16, nearest even, as uint16."""
    bits = np.asarray(v, np.float32).view(np.uint32).astype(np.uint64)
    rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16
    return np.where(np.isnan(v), 0x7fc0, rounded).astype(np.uint16)


def from_bf16(raw):
    return (np.asarray(raw, np.uint32) << 16).view(np.float32)


def run(file, kernel, outputs, options=(), types=None, folder=None, **inputs):
    """Runs a kernel; arrays go through files, everything else as it is. The outputs, in order."""
    types = types or {}
    with tempfile.TemporaryDirectory() as temporary:
        folder = folder or temporary
        words = []
        for name, value in inputs.items():
            if isinstance(value, np.ndarray):
                path = os.path.join(folder, name + '.npy')
                np.save(path, value)
                value = path + types.get(name, '')
            words.append(f'{name}={value}')
        for name in outputs:
            if name not in inputs:
                words.append(f"{name}={os.path.join(folder, name + '.npy')}{types.get(name, '')}")
        done = subprocess.run([TILEC, 'run', *OPTIONS, *options, os.path.join(HERE, file), kernel,
                               *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if done.returncode:
            raise Refused(done.returncode, done.stderr)
        if done.stderr:
            raise AssertionError(done.stderr)
        arrays = [np.load(os.path.join(folder, name + '.npy')) for name in outputs]
        return arrays[0] if len(arrays) == 1 else arrays


def equal(got, want, what=''):
    """Bit for bit, but for NaN."""
    want = np.asarray(want)
    assert got.shape == want.shape, f'{what}: shape {got.shape}, not {want.shape}'
    same = (got == want) | ((got != got) & (want != want))
    if got.dtype.kind == 'f':
        same &= (np.signbit(got) == np.signbit(want)) | (got != got)
    assert same.all(), f'{what}: {got[~same][:4]} instead of {want[~same][:4]}'


def close(got, want, tolerance):
    assert np.allclose(got, want, rtol=tolerance, atol=tolerance, equal_nan=True), (got, want)


def refused(status, part, *args, **kwargs):
    try:
        run(*args, **kwargs)
    except Refused as e:
        assert e.args[0] == status and part in e.args[1], e.args
        return
    raise AssertionError('was not refused')


# ---- integers --------------------------------------------------------------------------------

def wrap(values, dtype):
    bits = np.iinfo(dtype).bits
    return np.array([v & (1 << bits) - 1 for v in values], np.uint64).astype(dtype)


def truncated(a, b):
    return 0 if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


@test
def integer_arithmetic():
    names = ['sum', 'difference', 'product', 'quotient', 'rest', 'down', 'modulo', 'up']
    for dtype in (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64):
        info = np.iinfo(dtype)
        values = [0, 1, 2, 3, 7, info.max, info.max - 1, info.min]
        values += [-1, -2, -3, -7, info.min + 1] if info.min else [5, 6, 100]
        a, b = [[int(v) for v in c] for c in zip(*[(x, y) for x in values for y in values])]
        got = run('integers.tile', 'binary', names, a=np.array(a, dtype), b=np.array(b, dtype))
        pairs = list(zip(a, b))
        want = [[x + y for x, y in pairs], [x - y for x, y in pairs], [x * y for x, y in pairs],
                [truncated(x, y) for x, y in pairs],
                [x - truncated(x, y) * y if y else x for x, y in pairs],
                [x // y if y else 0 for x, y in pairs], [x % y if y else x for x, y in pairs],
                [-(-x // y) if y else 0 for x, y in pairs]]
        for name, g, w in zip(names, got, want):
            equal(g, wrap(w, dtype), f'{name} of {dtype.__name__}')


@test
def shift_counts():
    for dtype in (np.int32, np.uint32):
        n = np.array([0, 1, 31, 32, 33, 100, -1 if dtype is np.int32 else 2**32 - 1, 5], dtype)
        a = np.array([-7 if dtype is np.int32 else 2**31 + 7] * 8, dtype)
        left, right = run('integers.tile', 'shifts', ['left', 'right'], a=a, n=n)
        inside = [0 <= int(c) < 32 for c in n]
        equal(left, wrap([int(x) << int(c) if k else 0 for x, c, k in zip(a, n, inside)], dtype))
        equal(right, wrap([int(x) >> int(c) if k else (-1 if x < 0 else 0)
                           for x, c, k in zip(a, n, inside)], dtype))


@test
def integer_literals():
    y, z = run('integers.tile', 'literals', ['y', 'z'], one=1)
    equal(y, wrap([-2**31 + k * 90000000000 for k in range(4)], np.int32))
    equal(z, np.array([90000000000], np.int64))


# ---- floats ------------------------------------------------------------------------------------

@test
def float_to_int():
    x = np.array([1.9, -1.9, 127.5, 128, -128.9, -129, 255.9, 256, 3e9, -3e9, 1e20, -1e20, np.inf,
                  -np.inf, np.nan, 0.0, -0.0, 0.3], np.float32)
    got = run('floats.tile', 'to_ints', list('abcde'), x=x)
    for g, dtype in zip(got, (np.int8, np.uint8, np.int32, np.uint64)):
        info = np.iinfo(dtype)
        want = [0 if np.isnan(v) else info.max if v >= info.max else info.min if v <= info.min
                else int(v) for v in x]
        equal(g, np.array(want, dtype), dtype.__name__)
    equal(got[4], x != 0)


@test
def float_to_halves():
    x = np.array([1, 1.0009765625, 1.00048828125, 1.00146484375, 65504, 65519, 65520, -1e30, 448, 464,
                  465, 1e5, np.inf, -np.inf, np.nan, 2.0**-24, 2.0**-25, 257, 259, 1.0625, 1.1875,
                  -0.0, 2.0**-9, 2.0**-10, 3 * 2.0**-11], np.float32)
    a, b, c, d = run('floats.tile', 'to_halves', list('abcd'), x=x)
    equal(a, x.astype(np.float16))
    equal(from_bf16(b), from_bf16(raw_bf16(x)))
    equal(c[6:15] & 127, np.array([126] * 8 + [127], np.uint8))
    equal(c[19:21], np.array([0x38, 0x3a], np.uint8))              # ties go to even
    equal(c[22:], np.array([1, 0, 1], np.uint8))
    equal(d[11:14], np.array([0x7b, 0x7b, 0xfb], np.uint8))


@test
def maximum_and_nan():
    special = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 3.5]
    x, y = [np.array(c) for c in zip(*[(p, q) for p in special for q in special])]

    def up(p, q):
        return np.nan if p != p or q != q else (p if np.signbit(q) else q) if p == q else max(p, q)
    for name, dtype in (('f16', np.float16), ('bf16', None), ('f32', np.float32), ('f64', np.float64)):
        types = {k: ':bf16' for k in ('x', 'y', 'up', 'low', 'upnum', 'lownum')} if not dtype else {}
        cast = (lambda v: v.astype(dtype)) if dtype else raw_bf16
        back = (lambda v: v.astype(np.float64)) if dtype else from_bf16
        got = run('floats.tile', 'largest', ['up', 'low', 'upnum', 'lownum'], types=types,
                  x=cast(x), y=cast(y))
        want_up = [up(p, q) for p, q in zip(x, y)]
        want_low = [-up(-p, -q) for p, q in zip(x, y)]
        equal(back(got[0]), np.array(want_up), name)
        equal(back(got[1]), np.array(want_low), name)
        equal(back(got[2]), np.array([q if p != p else p if q != q else w
                                      for p, q, w in zip(x, y, want_up)]), name)
        equal(back(got[3]), np.array([q if p != p else p if q != q else w
                                      for p, q, w in zip(x, y, want_low)]), name)


@test
def each_operation_rounds():
    random = np.random.default_rng(1)
    a, b, c = random.standard_normal((3, 1000)).astype(np.float32)
    equal(run('floats.tile', 'rounds', ['y'], a=a, b=b, c=c), a * b + c, 'f32')
    h = [v.astype(np.float16) for v in (a, b, c)]
    equal(run('floats.tile', 'rounds', ['y'], a=h[0], b=h[1], c=h[2]), h[0] * h[1] + h[2], 'f16')
    r = [from_bf16(raw_bf16(v)) for v in (a, b, c)]
    got = run('floats.tile', 'rounds', ['y'], types={k: ':bf16' for k in 'abcy'},
              **{k: raw_bf16(v) for k, v in zip('abc', r)})
    equal(got, raw_bf16(from_bf16(raw_bf16(r[0] * r[1])) + r[2]), 'bf16')


@test
def comparisons():
    values = [1.0, 2.0, np.nan, np.inf, -0.0, 0.0]
    a, b = [np.array(c, np.float32) for c in zip(*[(p, q) for p in values for q in values])]
    bits = [a < b, a <= b, a > b, a >= b, a == b, a != b, ~(a < b)]
    equal(run('floats.tile', 'compares', ['y'], a=a, b=b),
          sum(v.astype(np.uint8) << k for k, v in enumerate(bits)).astype(np.uint8))


# ---- reductions ----------------------------------------------------------------------------------

@test
def sums_of_halves():
    for n in (1, 7, 63, 64):
        x = np.full((5, n), 2000.0)
        y, z = run('reductions.tile', 'sums', ['y', 'z'], x=x.astype(np.float16))
        equal(y, np.full(5, 2000 * n, np.float32))
        equal(z, np.full(5, 2000.0 * n).astype(np.float16))
        y, z = run('reductions.tile', 'sums', ['y', 'z'], types={'x': ':bf16', 'z': ':bf16'},
                   x=raw_bf16(np.ones((5, n))))
        equal(from_bf16(z), from_bf16(raw_bf16(np.full(5, n))))


@test
def sums_of_integers():
    for dtype in (np.int8, np.uint8, np.int32, np.bool_):
        x = (np.arange(50) * 37).astype(dtype)
        want = int(x.astype(np.int64).sum())
        equal(run('reductions.tile', 'int_sums', ['y'], x=x), np.array([want], np.int64))


@test
def row_statistics():
    x = np.array([[1, 5, 5, -3, 2], [np.nan, 1, np.nan, 0, 9], [-0.0, 0.0, -0.0, -0.0, 0.0],
                  [-np.inf] * 5, [3, 2, 1, 0.5, -7]], np.float32)
    names = ['top', 'low', 'at', 'where_low', 'middle', 'all_of']
    top, low, at, where_low, middle, all_of = run('reductions.tile', 'statistics', names, x=x)
    equal(top, np.array([5, np.nan, 0.0, -np.inf, 3], np.float32))
    equal(low, np.array([-3, np.nan, -0.0, -np.inf, -7], np.float32))
    equal(at, np.array([1, 0, 0, 0, 0], np.int32))
    equal(where_low, np.array([3, 0, 0, 0, 4], np.int32))
    close(middle, x.mean(axis=1), 1e-6)
    close(all_of, x.prod(axis=1), 1e-6)


@test
def empty_rows():
    names = ['top', 'low', 'at', 'where_low', 'middle', 'all_of']
    got = run('reductions.tile', 'statistics', names, x=np.zeros((3, 0), np.float32))
    for g, want in zip(got, (-np.inf, np.inf, 0, 0, np.nan, 1)):
        equal(g, np.full(3, want, g.dtype))


@test
def extremes_of_integers():
    for dtype in (np.int8, np.uint8, np.int32, np.uint64):
        info = np.iinfo(dtype)
        for x in ([info.min] * 3, [info.max] * 3, [info.min, 5, info.max]):
            top, low = run('reductions.tile', 'extremes', ['top', 'low'], x=np.array(x, dtype))
            equal(top, np.array([max(x)], dtype))
            equal(low, np.array([min(x)], dtype))


@test
def any_and_all():
    for x in ([1, 2, 3], [0, 1, 0], [0, 0], [1] * 8):
        v = np.array(x, np.float32)
        y, z = run('reductions.tile', 'truths', ['y', 'z'], x=v)
        equal(y, np.array([(v > 0).any()]))
        equal(z, np.array([(v > 0).all()]))


@test
def axes_of_reductions():
    for m, n in ((1, 1), (4, 8), (5, 9), (11, 33), (3, 0)):
        x = np.arange(m * n, dtype=np.float32).reshape(m, n)
        padded = np.zeros((-(-m // 4) * 4, -(-max(n, 1) // 8) * 8), np.float32)
        padded[:m, :n] = x
        equal(run('reductions.tile', 'axes', ['row'], x=x),
              padded.sum(axis=1).reshape(-1, 4))
        if n:
            equal(run('reductions.tile', 'both', ['y'], x=x),
                  padded.reshape(-1, 4, padded.shape[1] // 8, 8).sum(axis=(1, 3)))


# ---- padding ---------------------------------------------------------------------------------------

@test
def pad_is_stored():
    x = np.arange(5, dtype=np.float32)
    equal(run('padding.tile', 'pads', ['y'], ['-D', 'P=16'], x=x),
          np.concatenate([x, np.full(11, -99, np.float32)]))


@test
def padding_cannot_leak():
    random = np.random.default_rng(2)
    for n in (1, 3, 17, 32):
        x = (100 + random.standard_normal((4, n)) / 8).astype(np.float32)
        want = ((x - x.astype(np.float64).mean(axis=1, keepdims=True))**2).sum(axis=1)
        got = run('padding.tile', 'deviation', ['y'], x=x)
        assert np.allclose(got, want, atol=2e-4 * n), (got, want)


@test
def fill_makes_data():
    for n in (0, 3, 8):
        equal(run('padding.tile', 'filled', ['y'], x=np.ones(n, np.float32)),
              np.array([n + 100 * (8 - n)], np.float32))


@test
def keep_cuts():
    x = 2.0**np.arange(6, dtype=np.float32)
    for lo, hi in ((0, 6), (2, 4), (-5, 100), (4, 2), (0, 8), (6, 8), (3, -2)):
        want = x[max(lo, 0):max(hi, 0)].sum() if hi > lo else 0
        equal(run('padding.tile', 'kept', ['y'], x=x, lo=lo, hi=hi), np.array([want], np.float32))


@test
def valid_tells():
    for n in (0, 5, 8):
        equal(run('padding.tile', 'there', ['y'], x=np.ones(n, np.float32)), np.arange(8) < n)


@test
def windows_with_steps():
    x = np.arange(1, 12, dtype=np.float32)
    for at in (0, 1, -3, -4, 5, 8, 11, -40, 2**62, -2**62):
        places = [at + 2 * k for k in range(8)]
        t = np.array([x[p] if 0 <= p < 11 else 0 for p in places], np.float32)
        y, s = run('padding.tile', 'windows', ['y', 's'], x=x, at=at)
        equal(y, t, f'at {at}')
        equal(s, np.array([t.sum()], np.float32), f'at {at}')


@test
def loop_without_a_trip():
    x = np.ones(5, np.float32)
    for n in (0, 1, 3, -2):
        equal(run('padding.tile', 'carried', ['y'], x=x, n=n),
              np.array([5 * (1 + max(n, 0))], np.float32), f'{n} trips')


@test
def coordinates():
    y, s = run('padding.tile', 'coordinates', ['y', 's'], ['-D', 'M=5', '-D', 'N=7'])
    want = np.arange(5)[:, None] * 100 + np.arange(7)
    equal(y, want)
    equal(s, np.array([[want[r:r + 2, c:c + 4].sum() for c in (0, 4)] for r in (0, 2, 4)]))


# ---- control ------------------------------------------------------------------------------------------

@test
def loops():
    for a, b, s in ((0, 5, 1), (5, 3, 1), (5, 5, 1), (0, 10, 3), (10, 0, -3), (0, 5, -1), (0, 5, 0),
                    (2**63 - 3, 2**63 - 1, 1), (-2**63, -2**63 + 20, 7), (5, -6, -5)):
        trips = list(range(a, b, s)) if s else []
        odd = 0
        for k in trips:
            if k % 2:
                if odd == 3:
                    break
                odd += 1
        want = [len(trips), trips[-1] if trips else -1, odd, b - a]
        equal(run('control.tile', 'counts', ['y'], **{'from': a, 'to': b, 'by_': s}),
              np.array([wrap([w], np.int64)[0] for w in want]), f'{a}..{b} step {s}')


@test
def parallel_assignment():
    equal(run('control.tile', 'fibonacci', ['y'], ['-D', 'N=12']),
          np.array([0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89], np.int64))


@test
def while_loops():
    def steps(v):
        n = 0
        while v > 1 and n < 1000:
            v, n = (v // 2 if v % 2 == 0 else 3 * v + 1), n + 1
        return n
    x = np.array([1, 0, -5, 6, 7, 27, 97, 871], np.int64)
    equal(run('control.tile', 'collatz', ['y'], x=x), np.array([steps(int(v)) for v in x], np.int32))


@test
def branches_and_return():
    x = np.array([1, 2, 3, 4, 9, 9, 9, 9, -1, 5, -2, 6, 0, 7, 7, 7], np.float32)
    y = np.full(16, 5, np.float32)
    want = np.concatenate([x[:4] * 2, y[4:8], -x[8:12], x[12:]])
    equal(run('control.tile', 'branches', ['y'], x=x, y=y), want)


@test
def nested_loops():
    for n in (0, 1, 4, 6):
        acc = sum(min(k, 3) for a in range(n) for k in range(1, a + 1) if k != 2)
        equal(run('control.tile', 'nested', ['y'], n=n), np.full(4, acc, np.float32))


# ---- arguments -------------------------------------------------------------------------------------------

@test
def instances_and_listed():
    x = np.array([1.0, -2.0, 3.0], np.float32)
    for square in (0, 1):
        for types, v in (({}, x), ({'x': ':bf16'}, raw_bf16(x)),
                         ({'x': ':f8e4m3'}, np.array([0x38, 0xc0, 0x44], np.uint8))):
            want = (x * 2)**2 if square else x * 2
            equal(run('arguments.tile', 'scaled', ['y'], types=types, x=v, factor=2, SQUARE=square),
                  want.astype(np.float32))
    refused(2, 'SQUARE is missing', 'arguments.tile', 'scaled', ['y'], x=x, factor=1)
    refused(1, 'SQUARE', 'arguments.tile', 'scaled', ['y'], x=x, factor=1, SQUARE=2)
    refused(1, 'no instance', 'arguments.tile', 'scaled', ['y'], x=x.astype(np.float64), factor=1,
            SQUARE=1)


@test
def optional_tensors():
    x = np.arange(36, dtype=np.float32).reshape(2, 18)
    b = np.ones(18, np.float32)
    equal(run('arguments.tile', 'biased', ['y'], x=x), x)
    y, most = run('arguments.tile', 'biased', ['y', 'most'], x=x, b=b)
    equal(y, x + 1)
    equal(most, np.array([[8, 16, 18], [26, 34, 36]], np.float32))


@test
def refusals():
    x = np.ones((2, 7), np.float32)
    refused(1, 'where', 'arguments.tile', 'biased', ['y'], x=x)
    refused(1, 'where', 'arguments.tile', 'biased', ['y'], x=np.ones((2, 1002), np.float32))
    for n, on, size in [(1, False, 4), (4, False, 3), (9, True, 8)]:
        refused(1, 'where', 'arguments.tile', 'choices', ['y'], n=n, on=int(on), y=np.ones(size, np.float32))
    for n, on, size in [(1, True, 3), (4, False, 4), (9, False, 8)]:
        equal(run('arguments.tile', 'choices', ['y'], n=n, on=int(on),
                  y=np.ones(size, np.float32)), np.full(size, n, np.float32))
    refused(1, 'b', 'arguments.tile', 'biased', ['y'], x=np.ones((2, 8), np.float32),
            b=np.ones(6, np.float32))
    refused(1, 'y', 'arguments.tile', 'biased', ['y'], x=np.ones((2, 8), np.float32),
            y=np.ones((2, 6), np.float32))
    refused(1, 'x', 'arguments.tile', 'biased', ['y'], x=np.ones(8, np.float32))
    refused(2, 'x is missing', 'arguments.tile', 'biased', ['y'])
    refused(2, 'no argument', 'arguments.tile', 'biased', ['y'], x=np.ones((2, 8), np.float32), z=1)
    refused(2, 'no kernel', 'arguments.tile', 'nothing', ['y'])


@test
def extents_choose():
    for d in (4, 8):
        x = np.arange(3 * d, dtype=np.float32).reshape(3, d)
        equal(run('arguments.tile', 'widths', ['y'], x=x), x + d)
    refused(1, '', 'arguments.tile', 'widths', ['y'], x=np.ones((3, 5), np.float32))


@test
def extents_by_define():
    for n in (0, 1, 8, 13):
        equal(run('arguments.tile', 'numbers', ['y'], ['-D', f'N={n}']), np.arange(n) * 10)
    refused(1, '-D', 'arguments.tile', 'numbers', ['y'])


@test
def updated_in_place():
    x, y = np.arange(11, dtype=np.float32), np.full(11, 100, np.float32)
    equal(run('arguments.tile', 'more', ['y'], x=x, y=y), x + 100)


# ---- shapes --------------------------------------------------------------------------------------------

@test
def reshape_keeps_order():
    x = np.arange(24, dtype=np.float32).reshape(3, 8)
    for m in (0, 1, 3):
        y, s = run('shapes.tile', 'reshaped', ['y', 's'], x=x, z=x[:m])
        equal(y, x.reshape(4, 6))
        equal(s, x[:m].sum(axis=0).reshape(2, 4))


@test
def outer_product():
    a, b = np.arange(1, 7, dtype=np.float32), np.arange(1, 10, dtype=np.float32)
    equal(run('shapes.tile', 'outer', ['y'], a=a, b=b), np.outer(a, b))


@test
def select_by_place():
    x = np.arange(20, dtype=np.float32)
    want = np.where(np.arange(20) % 8 <= 3, x, -1).astype(np.float32)
    equal(run('shapes.tile', 'selected', ['y'], x=x, last=3), want)


@test
def masked_stores():
    x = np.array([1, -1, 2, -2, 0, 3, np.nan, 5, -5, 6], np.float32)
    y = np.full(10, 77, np.float32)
    equal(run('shapes.tile', 'masked', ['y'], x=x, y=y), np.where(x > 0, x, y))


@test
def iota_from():
    equal(run('shapes.tile', 'steps', ['y']), np.arange(5, dtype=np.float32) + 2.5)


@test
def bitcasts():
    x = np.array([1.5, -0.0, np.inf, 1e-40], np.float32)
    equal(run('shapes.tile', 'bits', ['y'], x=x), x.view(np.uint32))


@test
def moves():
    x = np.arange(24, dtype=np.int32).reshape(4, 6)
    for k, want in ((0, x[:, :3]), (1, x[:, 3:]), (2, 0 * x[:, :3]), (-1, 0 * x[:, :3]), (-2**62, 0 * x[:, :3])):
        y, z = run('shapes.tile', 'moved', ['y', 'z'], x=x, k=k)
        equal(y, np.concatenate([x[:, 3:], x[:, :3]], 1)[::-1, ::-1])
        equal(z, want.sum(0).astype(np.int32))


# ---- the command itself -----------------------------------------------------------------------------------

def output(*words):
    options = [o for o in OPTIONS if o != '--check']
    done = subprocess.run([TILEC, 'run', *options, *words], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, cwd=HERE)
    assert done.returncode == 0, done.stderr
    return done.stdout


@test
def scans_of_padding():
    x = np.arange(1, 17, dtype=np.float32).reshape(1, 16)
    for lo, hi in ((0, 8), (2, 5), (-3, 4), (6, 6), (5, 2), (3, 99)):
        c, r = run('scans.tile', 'padded', ['c', 'r'], x=x, lo=lo, hi=hi)
        data = [lo <= k % 8 < hi for k in range(16)]
        kept = np.where(data, x, 0).reshape(2, 8)
        equal(c, np.cumsum(kept, axis=1).astype(np.float32).reshape(1, 16))
        low = np.where(data, x, -np.inf).reshape(2, 8)
        equal(r, np.maximum.accumulate(low[:, ::-1], axis=1)[:, ::-1].astype(np.float32).reshape(1, 16))


@test
def order_of_elements():
    x = np.array([[1, 2, 3, 4], [9, 0, 7, 5], [0, 0, 0, 6]], np.int64)
    y, z = run('scans.tile', 'last_digits', ['y', 'z'], x=x)
    equal(y, np.array([1234, 9075, 6], np.int64))
    equal(z, np.array([[4321, 432, 43, 4], [5709, 570, 57, 5], [6000, 600, 60, 6]], np.int64))
    equal(run('scans.tile', 'last_digits', ['y'], x=np.zeros((3, 0), np.int64)), np.zeros(3, np.int64))


@test
def scans_of_halves():
    x = np.full(64, 2049 / 64, np.float16)
    y, n = run('scans.tile', 'halves', ['y', 'n'], x=x)
    equal(y, np.cumsum(x.astype(np.float64)).astype(np.float16))
    equal(n, np.arange(1, 65, dtype=np.int32))


@test
def init_that_is_no_identity_of_itself():
    x = np.array([[-np.inf, 0, 0], [1, -np.inf, 1], [0, 0, -np.inf]], np.float32)
    y = run('scans.tile', 'no_identity', ['y'], x=x)
    assert np.allclose(y, [np.log(2), 1 + np.log(2), np.log(2)]), y


@test
def prints_as_numpy():
    words = ['--print', 'y', 'arguments.tile', 'scaled', 'factor=1', 'SQUARE=0']
    cases = [np.arange(7) / 4, np.array([1e-9, 2.5e3, np.nan]), np.arange(1200.0), np.array([-1.5]),
             np.array([1e10, 1, np.inf]), np.linspace(0, 1, 23), np.zeros(0) + 1]
    for case in cases:
        v = case.astype(np.float32)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'x.npy')
            np.save(path, v)
            text = output(*words, f'x={path}')
            assert text == f'{v}\n', (text, str(v))


@test
def made_arrays():
    words = ['arguments.tile', 'more', 'x=arange:5', 'y=full:5:2.5', '--print', 'y']
    assert output(*words) == '[2.5 3.5 4.5 5.5 6.5]\n'
    first = output('arguments.tile', 'more', 'x=random:9', 'y=zeros:9', '--print', 'y', '--seed=1')
    again = output('arguments.tile', 'more', 'x=random:9', 'y=zeros:9', '--print=y', '--seed', '1')
    other = output('arguments.tile', 'more', 'x=random:9', 'y=zeros:9', '--print=y', '--seed', '2')
    assert first == again != other


@test
def checks_itself():
    text = output('arguments.tile', 'more', 'x=normal:100', 'y=zeros:100', '--check')
    assert text.startswith('y: '), text


@test
def bad_command_lines():
    for words in ([], ['arguments.tile'], ['nothing.tile', 'more'], ['arguments.tile', 'more', 'x=no.npy'],
                  ['arguments.tile', 'more', 'x=random:'], ['--on=moon', 'arguments.tile', 'more'],
                  ['arguments.tile', 'more', 'x=full:5'], ['arguments.tile', 'more', 'word']):
        done = subprocess.run([TILEC, 'run', *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, cwd=HERE)
        assert done.returncode == 2 and done.stderr, (words, done)


def complains(status, text, *words, **environment):
    """The command ends with this status and says this."""
    done = subprocess.run([TILEC, 'run', *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=HERE,
                          env={**os.environ, **environment})
    assert done.returncode == status and text in done.stderr, (words, done)


@test
def arguments_that_do_not_fit():
    scaled, more = ['arguments.tile', 'scaled', 'x=zeros:8'], ['arguments.tile', 'more', 'x=zeros:8']
    complains(2, 'factor is missing: write factor=1', *scaled, 'SQUARE=0')
    complains(2, 'factor=one is no number of type f32', *scaled, 'SQUARE=0', 'factor=one')
    complains(2, 'SQUARE is missing; it is one of 0, 1', *scaled, 'factor=1')
    complains(2, 'SQUARE=x is no number', *scaled, 'factor=1', 'SQUARE=x')
    complains(1, 'SQUARE is 2; it is one of 0, 1', *scaled, 'factor=1', 'SQUARE=2')
    complains(2, 'x is missing: write x=FILE.npy', 'arguments.tile', 'more', 'y=zeros:8')
    complains(2, '`more` has no parameter and no extent of this name', '-D', 'W=4', *more)
    complains(1, 'nothing fixes axis 0 of y, which is N', 'arguments.tile', 'numbers', 'y=none.npy')


@test
def files_that_are_no_arrays():
    def header(text, size=None, version=1):
        size = len(text) if size is None else size
        return b'\x93NUMPY' + bytes([version, 0]) + size.to_bytes(2 if version == 1 else 4, 'little') + text.encode()

    good = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }"
    cases = [(b'\x93NUMPY', 'is no .npy file'), (header(good, version=4), 'is no .npy file'),
             (header(good, 99), 'is no .npy file'), (header(good, 0xffffffff, 2), 'is no .npy file'),
             (header('{}'), "has a header that is not NumPy's"),
             (header(good.replace('<f4', '<c8')), 'has elements of a type that tilec lacks: <c8'),
             (header(good.replace('(2', '(x')), 'has extents that tilec does not take'),
             (header(good.replace('(', '[')), 'has extents that tilec does not take'),
             (header(good.replace('2', str(2**62))), 'x.npy is too large'),
             (header(good) + b'\0' * 7, 'does not have as many elements as its header says'),
             (header(good) + b'\0' * 9, 'does not have as many elements as its header says')]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'x.npy')
        words = ['arguments.tile', 'more', f'x={path}', 'y=zeros:2']
        for data, text in cases:
            with open(path, 'wb') as f:
                f.write(data)
            complains(2, text, *words)
        with open(path, 'wb') as f:
            f.write(header(good, version=2) + b'\0' * 8)
        assert output(*words, '--print', 'y') == '[0. 0.]\n'
        complains(2, 'x.npy has elements of 4 bytes; bf16 has 2', 'arguments.tile', 'scaled', f'x={path}:bf16',
                'factor=1', 'SQUARE=0')
        complains(2, 'cannot be written', 'arguments.tile', 'numbers', 'y=' + os.path.join(folder, 'no', 'y.npy'),
                '-D', 'N=4')


def program(folder, name, text):
    with open(os.path.join(folder, name), 'w') as f:
        f.write('#!/bin/sh\n' + text)
    os.chmod(f.name, 0o755)


@test
def generated_code_that_cannot_run():
    numbers = ['arguments.tile', 'numbers', '-D', 'N=4', 'y=none.npy']
    with tempfile.TemporaryDirectory() as folder:
        for on, compiler in (('cpu', 'g++'), ('gpu', 'nvcc')):
            words = [f'--on={on}', *numbers]
            complains(2, f'{compiler} was not found', *words, PATH=folder)
            program(folder, compiler, 'echo no such header; exit 1\n')
            complains(2, 'no such header\n', *words, PATH=folder)
            complains(2, f'{compiler} could not compile the generated code', *words, PATH=folder)
        complains(2, 'TMPDIR says where', *words, TMPDIR=os.path.join(folder, 'no'))
        path = {'PATH': folder + ':/bin:/usr/bin'}
        program(folder, 'g++', "echo 'exit 9' >program; chmod +x program\n")
        complains(2, 'the generated code ended with status 9', '--on=cpu', *numbers, **path)
        program(folder, 'g++', "echo 'rm array_0' >program; chmod +x program\n")
        complains(2, 'cannot be read', '--on=cpu', *numbers, **path)


@test
def differences_are_shown():
    with tempfile.TemporaryDirectory() as folder:
        program(folder, 'g++', f"echo 'cat {folder}/wrong >array_0' >program; chmod +x program\n")
        words = ['--on=cpu', '--check', 'arguments.tile']
        path = {'PATH': folder + ':/bin:/usr/bin'}
        for wrong, text in ((np.array([0, 10, 17, 31], np.int64), 'largest error 3 at [2], 3 ulp; 2 of 4'),
                            (np.array([0, 10, 20, 30], np.int64), 'equal, 4 elements')):
            wrong.tofile(os.path.join(folder, 'wrong'))
            shown = subprocess.run([TILEC, 'run', *words, 'numbers', '-D', 'N=4', f'y={folder}/y.npy'], cwd=HERE,
                                   stdout=subprocess.PIPE, text=True, env={**os.environ, **path}).stdout
            assert text in shown, shown
        for wrong, text in ((1.25, 'largest error 0.25 at [0, 5], 2.1e+06 ulp; 1 of 8'),
                            (np.nan, 'largest error inf at [0, 5]')):
            values = np.ones(8, np.float32)
            values[5] = wrong
            values.tofile(os.path.join(folder, 'wrong'))
            shown = subprocess.run([TILEC, 'run', *words, 'biased', 'x=full:1x8:1', f'y={folder}/z.npy'], cwd=HERE,
                                   stdout=subprocess.PIPE, text=True, env={**os.environ, **path}).stdout
            assert text in shown, shown


for f in TESTS:
    if WANTED and not any(w in f.__name__ for w in WANTED):
        continue
    try:
        f()
        counts['passed'] += 1
    except (AssertionError, Refused) as e:
        counts['failed'] += 1
        print(f'{f.__name__}: {e}')
print(f"{counts['passed']} passed, {counts['failed']} failed, 0 skipped")
sys.exit(counts['failed'] != 0)
