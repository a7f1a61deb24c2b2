"""cases_found.py -- what random programs found (tests/fuzz)"""
import numpy as np
from number import Number
from table import around, case, sizes

FILE = '89_found'


@case(FILE, 'bits_of', '', 'a: u8[N] out; b: u16[N] out; c: i64[N] out; x: i8[N]; z: i16[N]', sizes(N=around(32)))
def _(x, z):
    return dict(a=(x & 60).view(np.uint8) ^ np.uint8(253),
                b=np.where(x > 0, -1, z | 1).astype(np.int16).view(np.uint16), c=np.where(x > 0, 12, 14))


@case(FILE, 'literal_bf16', '', 'y: f64[N] out', sizes(N=[0, 31, 33]))
def _(N):
    return Number(np.full(N, 1.5), 'f64')


@case(FILE, 'sort_beside', '', 'y: i64[M, N] out; z: i64[M, N] out; x: i64[N, M]', sizes(M=[1, 5, 13], N=[1, 33, 100]))
def _(x, M, N):
    z = x.T.copy()
    for i in range(0, M, 5):
        z[i:i + 5] = np.sort(z[i:i + 5], axis=0)
    return dict(y=np.ones((M, N)), z=z)
