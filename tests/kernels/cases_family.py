"""cases_family.py -- softmax, normalisations and other kernels that people write"""
import numpy as np
from inputs import any_float, far, masked_scores, rows
from number import Number, argmax, cast, exp, highest, mean, rsqrt, sigmoid, total, where
from table import around, case, sizes


@case('01_vecadd', 'vecadd', 'T: f32 f16 bf16', 'c: T[M, N] out; a: T[M, N]; b: T[M, N]',
      sizes(M=[0, 1, 2, 31, 32, 33, 65], N=around(8, 128)))
def _(a, b):
    return a + b


def softmax_of(x, axis=1):
    e = exp(x - highest(x, axis, keepdims=True))
    return e / total(e, axis, keepdims=True)


@case('02_softmax', 'softmax', 'T: f32 bf16', 'y: T[M, N] out; x: T[M, N]', rows,
      data=dict(x=masked_scores))
@case('02_softmax', 'softmax_chunks', 'T: f32 bf16', 'y: T[M, N] out; x: T[M, N]',
      sizes(M=[0, 1, 3, 4, 5], N=around(256) + [513]), data=dict(x=masked_scores))
def _(x):
    return softmax_of(cast(x, 'f32'))


def norm_parts(t, eps):
    mu = mean(t, 1, keepdims=True)
    c = t - mu
    return mu, c, rsqrt(mean(c * c, 1, keepdims=True) + eps)


@case('03_layernorm', 'layernorm', 'T: f32 f16 bf16',
      'y: T[M, N] out; mean: f32[M] out opt; rstd: f32[M] out opt; x: T[M, N]; w: T[N]; b: T[N] opt; eps: f32 = 1e-5',
      rows, data=dict(x=far))
def _(x, w, b, eps):
    mu, c, r = norm_parts(cast(x, 'f32'), eps)
    o = c * r * cast(w, 'f32')
    return dict(y=o + cast(b, 'f32') if b is not None else o, mean=mu[:, 0], rstd=r[:, 0])


@case('05_add_rmsnorm', 'add_rmsnorm', 'T: bf16 f16',
      'y: T[M, N] out; s: T[M, N] out; rstd: f32[M] out; x: T[M, N]; res: T[M, N]; w: T[N]; eps: f32 = 1e-6; '
      'offset: f32 = 1.0', rows)
def _(x, res, w, eps, offset):
    s = x + res
    f = cast(s, 'f32')
    r = rsqrt(mean(f * f, 1, keepdims=True) + eps)
    return dict(s=s, rstd=r[:, 0], y=f * r * (cast(w, 'f32') + offset))


@case('06_swiglu', 'swiglu', 'T: f32 bf16', 'y: T[M, N] out; a: T[M, N]; b: T[M, N]',
      sizes(M=[0, 1, 3, 4, 5], N=around(256)))
def _(a, b):
    a = cast(a, 'f32')
    return a * sigmoid(a) * cast(b, 'f32')


@case('06_swiglu', 'swiglu_bwd', 'T: f32 bf16',
      'da: T[M, N] out; db: T[M, N] out; dy: T[M, N]; a: T[M, N]; b: T[M, N]', sizes(M=[0, 1, 5], N=around(256)))
def _(dy, a, b):
    d, x = cast(dy, 'f32'), cast(a, 'f32')
    s = sigmoid(x)
    return dict(db=d * x * s, da=d * cast(b, 'f32') * s * (1.0 + x * (1.0 - s)))


@case('22_stencil', 'jacobi', '',
      'y: f32[M, N] out; change: f32[ceil(M, 16), ceil(N, 64)] out; total: f32[ceil(M, 16), ceil(N, 64)] out; '
      'x: f32[M, N]; f: f32[M, N] opt; h2: f32 = 0.25', sizes(M=[0, 1, 2, 16, 17, 33], N=around(64)))
def _(x, f, h2):
    M, N = x.shape
    pad = Number(np.pad(x.v, 1), 'f32')
    near = pad[:-2, 1:-1] + pad[2:, 1:-1] + pad[1:-1, :-2] + pad[1:-1, 2:]
    if f is not None:
        near = near + h2 * f
    row, col = np.mgrid[0:M, 0:N]
    new = where((row > 0) & (row < M - 1) & (col > 0) & (col < N - 1), near * 0.25, x)
    change, sums = abs(new - x), new
    tiles = [[(slice(i, i + 16), slice(j, j + 64)) for j in range(0, N, 64)] for i in range(0, M, 16)]
    grid = lambda f, t: Number(np.array([[f(t[w]).v for w in line] for line in tiles]).reshape(len(tiles), -(-N // 64)),
                               'f32', np.array([[f(t[w]).e for w in line] for line in tiles]).reshape(len(tiles), -(-N // 64)))
    return dict(y=new, change=grid(highest, change), total=grid(total, sums))


@case('22_stencil', 'smooth', '', 'y: f32[N] out; x: f32[N]', sizes(N=around(64) + [1000]))
def _(x):
    pad = Number(np.pad(x.v, 1), 'f32')
    return pad[:-2] + 2.0 * x + pad[2:]


@case('24_argmax', 'argmax_rows', '', 'at: i32[M] out; x: f32[M, N]', rows, data=dict(x=any_float))
@case('24_argmax', 'argmax_chunks', '', 'at: i64[M] out; x: f32[M, N]', sizes(M=[0, 1, 3, 4, 5], N=around(256)),
      data=dict(x=any_float))
def _(x):
    return argmax(x.v, 1)
