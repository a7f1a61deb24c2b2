"""inputs.py -- the extents that kernels are tried at, and data that is not normal"""
import numpy as np
from number import decode
from table import around, sizes

LONG = [255, 256, 257, 1000]


def rows(edges, few=(0, 1, 3), most=33000):
    """M by N for rows of any length: the standard extents, and each capacity of the ladder."""
    standard = sizes(M=list(few), N=around(4, 8))
    ladder = sizes(M=[2], N=[n + d for n in edges if n <= most for d in (-1, 0, 1)])
    return standard + ladder + sizes(M=[5], N=[1000]) + sizes(M=[1], N=[4 * max(edges, default=256) // 2 + 7])


def positive(rng, shape, t):
    return np.abs(rng.normal(size=shape)) + 0.01


def far(rng, shape, t):
    """A large mean and little around it."""
    return 100 + rng.normal(size=shape)


def any_float(rng, shape, t):
    """Normal numbers, with what is special among them."""
    v = rng.normal(size=shape) * 3
    special = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0]
    pick = rng.integers(0, 20, shape)
    for k, s in enumerate(special):
        v = np.where(pick == k, s, v)
    return v


def any_finite(rng, shape, t):
    v = any_float(rng, shape, t)
    return np.where(np.isfinite(v), v, 2.5)


def wide(rng, shape, t):
    """Over many binary orders, of both signs."""
    return rng.normal(size=shape) * 2.0**rng.integers(-10, 12, shape)


def any_int(rng, shape, t):
    info = np.iinfo(t.replace('u', 'uint') if t[0] == 'u' else t.replace('i', 'int'))
    v = rng.integers(info.min, info.max, shape, dtype=info.dtype, endpoint=True)
    small = rng.integers(max(info.min, -8), 9, shape).astype(info.dtype)
    edge = np.array([info.min, info.max], info.dtype)[rng.integers(0, 2, shape)]
    return np.choose(rng.integers(0, 3, shape), [v, small, edge])


def masked_scores(rng, shape, t):
    """Normal numbers, in rows of which some begin with -inf, and some are nothing else."""
    v = rng.normal(size=shape) * 3
    row, col = np.ogrid[0:shape[0], 0:shape[1]]
    return np.where((row % 3 == 1) & ((col < 300) | (row % 2 == 0)), -np.inf, v)


def for_products(rng, shape, t):
    """Mostly ones, a few signs and powers of two: a product of any length stays finite."""
    return np.where(rng.random(shape) < 5 / max(shape[-1], 1), rng.choice([0.5, 2, -1, 1.25], shape), 1)


def raw_codes(rng, shape, t):
    """Every bit pattern of a narrow float, by what it means."""
    bits = {'f16': 16, 'bf16': 16, 'f8e4m3': 8, 'f8e5m2': 8}.get(t)
    if bits is None:
        return any_float(rng, shape, t)
    code = rng.integers(0, 1 << bits, shape).astype(np.uint16 if bits == 16 else np.uint8)
    return decode(t, code.view(np.float16) if t == 'f16' else code)
