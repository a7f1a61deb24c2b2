"""gemm_rows.py -- the contractions that are measured, and the block tiles that ours are tried with"""
import collections
import os

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
BUILD = os.path.join(ROOT, 'build', 'bench')

# The form is what gemm.tile calls it: each operand by rows (n) or by columns (t), behind what else it does. B is the
# number of products. The goal is the speed over that of the best of cublasLt's heuristics; None: only to look at.
Row = collections.namedtuple('Row', 'type form M N K B goal')


def rows_of(type_, form, shapes, B=1):
    return [Row(type_, form, M, N, K, B, goal) for M, N, K, goal in shapes]


def cubes(*sizes):
    return [(n, n, n, 1.0) for n in sizes]


SHAPES = [(512, 512, 768, 1.1), *cubes(1024, 2048, 4096), (8192, 8192, 8192, 1.01), (4096, 14336, 4096, 1.02),
          (64, 8192, 8192, 1.25), (4096, 4096, 4100, 1.5)]
ROWS = [
    *rows_of('bf16', 'nn', SHAPES),
    *rows_of('bf16', 'nt', SHAPES),
    *rows_of('f8', 'nt', cubes(4096, 8192)),
    *rows_of('f8 fast', 'nt', cubes(4096, 8192)),
    *rows_of('f16', 'nn', cubes(1024, 4096, 8192)),
    *rows_of('f16', 'nt', cubes(2048, 4096)),
    *rows_of('tf32', 'nn', [(1000, 500, 700, 1.0), *cubes(2048, 4096, 8192)]),
    *rows_of('tf32', 'nt', cubes(4096)),
    *rows_of('f32', 'nn', cubes(4096, 8192)),
    *rows_of('bf16', 'tn', cubes(4096)),
    *rows_of('bf16', 'tt', cubes(4096)),
    *rows_of('bf16', 'gelu_nt', [(4096, 14336, 4096, 1.0)]),
    *rows_of('bf16', 'batch_nn', cubes(1024), B=16),
    *rows_of('i8', 'nt', [(4096, 4096, 4096, None)]),
]

FILES = {'bf16': 'gemm', 'f16': 'gemm', 'f32': 'gemm_f32', 'tf32': 'gemm_f32',
         'f8': 'gemm_8bit', 'f8 fast': 'gemm_8bit', 'i8': 'gemm_8bit'}

# BM x BN x BK; the first is the default: `chosen` is what the launch function chooses by the shape.
TILES = {
    'gemm': ['chosen', '128x128x64', '128x256x64', '256x128x64', '128x64x64', '64x256x64', '64x128x64', '64x64x64',
             '128x192x64'],
    'gemm_f32': ['chosen', '128x128x32', '128x128x16', '128x256x32', '64x64x32'],
    'gemm_8bit': ['chosen', '128x128x128', '128x256x128', '64x64x128'],
}


def extents(row):
    batch = f'{row.B} of ' if row.B > 1 else ''
    return f'{batch}{row.M}x{row.N}x{row.K}'


def label(row):
    return f'{row.type} {row.form} {extents(row)}'


def function(row):
    """The C function that makes a row's product."""
    return f'{row.form}_{row.type}' if FILES[row.type] == 'gemm' else f'{row.type.replace(" ", "_")}_{row.form}'


def library(row, tile):
    """What holds it for one tile: the .tile file, the value of its T if it has one, the tile."""
    file = FILES[row.type]
    return file, row.type if file == 'gemm' else '', tile


def library_path(lib, suffix):
    return os.path.join(BUILD, '_'.join(part for part in lib if part) + suffix)


def turned(row):
    """Whether a is [K, M], and whether b is [N, K]."""
    return row.form[-2] == 't', row.form[-1] == 't'
