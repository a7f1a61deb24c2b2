"""cases_std.py -- the standard library and the examples"""
import math
import numpy as np
from cases_family import norm_parts, softmax_of
from inputs import any_finite, any_float, far, masked_scores, rows
from number import (Number, argmax, cast, erf, exp, highest, larger, log, log1p, mean, rsqrt,
                    sigmoid, tanh, total, where)
from table import around, case, sizes


def at_least_f32(f):
    """What std does: 16-bit types in f32."""
    return lambda *xs: f(*[cast(x, 'f32') if x.t in ('f16', 'bf16') else x for x in xs])


relu = lambda x: larger(x, 0.0)
gelu = at_least_f32(lambda v: 0.5 * v * (1.0 + erf(v * math.sqrt(0.5))))
gelu_tanh = at_least_f32(lambda v: 0.5 * v * (1.0 + tanh(math.sqrt(2 / math.pi) * (v + 0.044715 * v * v * v))))
silu = at_least_f32(lambda v: v * sigmoid(v))
softplus = at_least_f32(lambda v: larger(v, 0.0) + log1p(exp(-abs(v))))


@at_least_f32
def cbrt(x):
    return Number(np.cbrt(x.v), x.t, np.abs(np.cbrt(x.v)) * 4 * (2.0**-23 if x.t == 'f32' else 2.0**-52))


@at_least_f32
def hypot(a, b):
    v = np.hypot(a.v, b.v)
    return Number(v, a.t, np.abs(v) * 4 * (2.0**-23 if a.t == 'f32' else 2.0**-52))


@at_least_f32
def lerp(a, b, t):
    v = a.v + t.v * (b.v - a.v)
    return Number(v, a.t, (np.abs(a.v) + np.abs(a.v * t.v) + np.abs(b.v * t.v)) * 2 * (2.0**-23 if a.t == 'f32' else 2.0**-52))


@at_least_f32
def log_softmax(x):
    c = x - highest(x, 1, keepdims=True)
    return c - log(total(exp(c), 1, keepdims=True))


@at_least_f32
def logsumexp(x):
    top = highest(x, 1, keepdims=True)
    base = where(np.isinf(top.v), Number(np.zeros(top.shape), x.t), top)
    return (base + log(total(exp(x - base), 1, keepdims=True)))[:, 0]


def layer_norm(x, w, b, eps):
    f = 'f64' if x.t == 'f64' else 'f32'
    _, c, r = norm_parts(cast(x, f), eps)
    return c * r * cast(w, f) + cast(b, f)


def rms_norm(x, w, eps):
    f = 'f64' if x.t == 'f64' else 'f32'
    t = cast(x, f)
    return t * rsqrt(mean(t * t, 1, keepdims=True) + eps) * cast(w, f)


softmax_std = at_least_f32(softmax_of)
ALL = sizes(N=around(8, 128, 1024))


@case('49_std', 'activations', 'T: f32 f16 bf16 f64',
      ''.join(f'r_{f}: T[N] out; ' for f in 'relu gelu gelu_tanh silu softplus cbrt'.split()) + 'x: T[N]',
      sizes(N=around(128) + [1000]), data=dict(x=any_finite))
def _(x):
    return dict(r_relu=relu(x), r_gelu=gelu(x), r_gelu_tanh=gelu_tanh(x), r_silu=silu(x), r_softplus=softplus(x),
                r_cbrt=cbrt(x))


@case('49_std', 'pairs', 'T: f32 f16 bf16 f64', 'r_hypot: T[N] out; r_lerp: T[N] out; a: T[N]; b: T[N]; t: T[N]',
      sizes(N=around(128) + [1000]), data=dict(a=any_finite, b=any_finite))
def _(a, b, t):
    return dict(r_hypot=hypot(a, b), r_lerp=lerp(a, b, t))


@case('49_std', 'rows', 'T: f32 f16 bf16 f64',
      'r_softmax: T[M, N] out; r_log_softmax: T[M, N] out; r_layer_norm: T[M, N] out; r_rms_norm: T[M, N] out; '
      'r_logsumexp: T[M] out; x: T[M, N]; w: T[N]; b: T[N]', rows, data=dict(x=masked_scores))
def _(x, w, b):
    eps = lambda v: Number(np.float32(v), 'f32')
    return dict(r_softmax=softmax_std(x), r_log_softmax=log_softmax(x), r_layer_norm=layer_norm(x, w, b, eps(1e-5)),
                r_rms_norm=rms_norm(x, w, eps(1e-6)), r_logsumexp=logsumexp(x))


@case('49_std', 'columns', '', 'y: f32[24, N] out; l: f32[N] out; x: f32[24, N]', sizes(N=around(24)))
def _(x):
    t = Number(x.v.T, 'f32')
    y = softmax_of(t)
    return dict(y=Number(y.v.T, 'f32', y.e.T), l=logsumexp(t))


@case('49_std', 'constants', '', 'y: f64[10] out', [dict()])
def _():
    return Number(np.array([math.pi, math.tau, math.e, math.log(2), math.log(10), 1 / math.log(2), 1 / math.log(10),
                            math.sqrt(2), math.sqrt(0.5), 1 / math.sqrt(math.pi)]), 'f64', 2.0**-51)


STD = 'stdlib/std/nn'
FLOAT3 = 'T: f32 f16 bf16'


@case(STD, 'relu_all', FLOAT3, 'y: T[N] out; x: T[N]', ALL, data=dict(x=any_float))
def _(x):
    return relu(x)


@case(STD, 'gelu_all', FLOAT3, 'y: T[N] out; x: T[N]', ALL)
def _(x):
    return gelu(x)


@case(STD, 'gelu_tanh_all', FLOAT3, 'y: T[N] out; x: T[N]', ALL)
def _(x):
    return gelu_tanh(x)


@case(STD, 'silu_all', FLOAT3, 'y: T[N] out; x: T[N]', ALL)
def _(x):
    return silu(x)


@case(STD, 'softmax_rows', FLOAT3, 'y: T[M, N] out; x: T[M, N]', rows, data=dict(x=masked_scores))
def _(x):
    return softmax_std(x)


@case(STD, 'log_softmax_rows', FLOAT3, 'y: T[M, N] out; x: T[M, N]', rows, data=dict(x=masked_scores))
def _(x):
    return log_softmax(x)


@case(STD, 'layer_norm_rows', FLOAT3, 'y: T[M, N] out; x: T[M, N]; w: T[N]; b: T[N]; eps: f32 = 1e-5', rows,
      data=dict(x=far))
def _(x, w, b, eps):
    return layer_norm(x, w, b, eps)


@case(STD, 'rms_norm_rows', FLOAT3, 'y: T[M, N] out; x: T[M, N]; w: T[N]; eps: f32 = 1e-6', rows)
def _(x, w, eps):
    return rms_norm(x, w, eps)


# ---- the examples ------------------------------------------------------------------------------


@case('examples/01_add', 'add', '', 'z: f32[N] out; x: f32[N]; y: f32[N]', ALL)
def _(x, y):
    return x + y


@case('examples/02_affine', 'affine', 'T: f32 bf16', 'y: T[M, N] out; x: T[M, N]; scale: T[N] opt; bias: T[N] opt',
      sizes(M=[0, 1, 7, 8, 9], N=around(256)))
def _(x, scale, bias):
    t = cast(x, 'f32')
    t = t * cast(scale, 'f32') if scale is not None else t
    return t + cast(bias, 'f32') if bias is not None else t


@case('examples/03_gelu', 'gelu_forward', 'T: f32 bf16', 'y: T[N] out; x: T[N]', ALL)
def _(x):
    return gelu(x)


@case('examples/03_gelu', 'quick_gelu_inplace', '', 'y: f32[N] inout', ALL)
def _(y):
    return y * sigmoid(1.702 * y)


@case('examples/04_softmax', 'softmax', '', 'y: f32[M, N] out; x: f32[M, N]', rows)
def _(x):
    return softmax_of(x)


@case('examples/05_reduce', 'row_stats', '',
      'sums: f32[M] out; means: f32[M] out opt; places: i32[M] out opt; x: f32[M, N]', rows)
def _(x):
    return dict(sums=total(x, 1), means=mean(x, 1), places=argmax(x.v, 1))


@case('examples/05_reduce', 'column_sums', '', 'sums: f32[N] out; x: f32[M, N]', sizes(M=around(32), N=around(64)))
def _(x):
    return total(x, 0)


@case('examples/06_layer_norm', 'layer_norm', 'T: f32 f16 bf16',
      'y: T[M, N] out; mean: f32[M] out opt; rstd: f32[M] out opt; x: T[M, N]; w: T[N]; b: T[N] opt; eps: f32 = 1e-5',
      rows, data=dict(x=far))
def _(x, w, b, eps):
    mu, c, r = norm_parts(cast(x, 'f32'), eps)
    o = c * r * cast(w, 'f32')
    return dict(y=o + cast(b, 'f32') if b is not None else o, mean=mu[:, 0], rstd=r[:, 0])
