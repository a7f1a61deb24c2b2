"""weights.py -- how often the generator takes what: the one table to turn"""

TYPES = dict(f32=10, f16=5, bf16=5, f64=3, i32=8, i64=4, i16=2, i8=3, u8=3, u16=2, u32=3, u64=3, bool=2, f8e4m3=1,
             f8e5m2=1, tf32=1)
EXTENTS = {1: 6, 2: 4, 3: 4, 4: 6, 5: 3, 7: 3, 8: 8, 11: 2, 13: 1, 16: 6, 17: 1, 31: 1, 32: 4, 33: 1, 48: 1, 64: 2, 100: 1}
RANKS = {0: 1, 1: 5, 2: 10, 3: 4, 4: 2}                # of the main output's part
MOST = 2048                                             # elements of a tile

# What an expression is; those that do not fit its type and shape are passed over.
EXPRESSIONS = dict(leaf=24, binary=22, unary=8, cast=8, select=7, cond=3, fma=2, clamp=2, reduce=9, fold=4, scan=4,
                   sort=2, topk=2, histogram=1, permute=5, reshape=4, cat=3, extract=3, split=2, flip=3, expand=3,
                   squeeze=2, stretch=3, gather=4, fill=4, keep=3, valid=2, mma=5, random=1, call=3, bitcast=2, there=2, round=2)
LEAVES = dict(name=30, load=12, window=5, like=8, full=3, iota=2, part=4, fullof=1, piece=3)
SCALARS = dict(name=12, literal=3, parameter=4, extent=3, index=5, element=4)
STATEMENTS = {'let': 9, 'mut': 8, 'assign': 16, 'swap': 2, 'if': 5, 'for': 7, 'static': 2, 'while': 3, 'leave': 3,
              'store': 3, 'there': 2, 'assert': 1}

REAL = 0.2           # of the programs compute with real numbers, within tolerances; the others exactly
SPECIAL = 0.12       # of the programs meet NaN, infinities and -0
WHOLE = 0.25         # of the outputs have a whole axis
LONG = 0.1           # of the launches have a long whole axis
ATOMIC = 0.12        # of the kernels count into an atomic tensor; as many scatter
STRIDED = 0.25       # of the inputs
WHERE = 0.2          # of the kernels state what divides an extent

# Kernels around contractions on tensor cores: how many, their extents, elements of a result, and their form.
TENSOR = 0.2
SIXTEENS = {16: 8, 32: 8, 48: 3, 64: 3, 80: 1, 96: 0.5, 112: 0.3, 128: 0.7}
MOST_TENSOR, WORK = 4096, 1e6              # elements of a result; products of a launch
CONTRACTIONS = dict(loop=5, attention=3, flat=2)
OPERANDS = dict(f16=5, bf16=4, tf32=2, f8e4m3=1, f8e5m2=1, i8=2, u8=1, f64=2)
