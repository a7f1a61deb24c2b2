"""made.py -- kernels that a script writes: every combination of what stands inside of what

Each function gives the text of a file. build.py writes it where the outputs lie, as made/NAME; what it
should compute is found from the same descriptions, in cases_made.py.
"""
import glob
import itertools
import keyword
import os
import random
import re

# ---- two operators in one expression ------------------------------------------------------------
#
# A tree is a name, or (operator, operand, ..). Every operator stands inside of every other where the
# types let it, on each side; parentheses stand only where the language needs them.

PRECEDENCE = {op: 9 - level for level, ops in enumerate(
    ['* / %', '+ -', '<< >>', '&', '^', '|', '< <= > >= == !=', '&&', '||']) for op in ops.split()}
NUMBERS = '+ - * / % << >> & | ^'.split()
COMPARED = '< >= == !='.split()
JOINED = '&& ||'.split()


def text(tree, above=0, right=False):
    """A tree as the language writes it."""
    if isinstance(tree, str):
        return tree
    op, *rest = tree
    if op == 'select':
        return f'select({", ".join(map(text, rest))})'
    if op in ('neg', '~', '!'):
        return ('-' if op == 'neg' else op) + text(rest[0], 99)
    level = PRECEDENCE[op]
    inside = f'{text(rest[0], level)} {op} {text(rest[1], level, True)}'
    tight = level < above or level == above and (right or op in COMPARED)
    return f'({inside})' if tight else inside


def trees():
    """All trees of two operators, and of a few of three; those of numbers, then those that are true or false."""
    inner = [(op, 'a', 'b') for op in NUMBERS] + [('neg', 'a'), ('~', 'a'), ('select', ('<', 'a', 'b'), 'b', 'c')]
    numbers = [(op, t, 'c') for op in NUMBERS for t in inner] + [(op, 'c', t) for op in NUMBERS for t in inner]
    numbers += [(op, t) for op in ('neg', '~') for t in inner + [('neg', ('neg', 'a'))]]
    numbers += [('-', 'a', ('neg', ('neg', 'b'))), ('+', ('neg', 'a'), ('neg', ('neg', 'b')))]
    truths = [(op, t, 'c') for op in COMPARED for t in inner] + [(op, 'c', t) for op in COMPARED for t in inner]
    asked = [(op, 'a', 'b') for op in COMPARED]
    joined = [(op, t, ('<', 'b', 'c')) for op in JOINED for t in asked]
    truths += joined + [('!', t) for t in asked + joined + [('!', asked[0])]]
    truths += [(p, (q, ('<', 'a', 'b'), ('<', 'b', 'c')), ('!', ('==', 'a', 'c'))) for p in JOINED for q in JOINED]
    truths += [(p, ('!', ('==', 'a', 'c')), (q, ('<', 'a', 'b'), ('<', 'b', 'c'))) for p in JOINED for q in JOINED]
    numbers += [('select', t, ('-', 'a', 'b'), ('neg', 'c')) for t in asked + joined]
    return numbers, truths


def pieces(of, most=40):
    """So many at a time: compilers take long over long functions."""
    return [of[k:k + most] for k in range(0, len(of), most)]


def operators():
    kernels = []
    for kind, t, found in zip(('numbers', 'truths'), ('i32', 'bool'), trees()):
        for n, some in enumerate(pieces(found)):
            lines = '\n'.join(f'    y.put(expand({text(tree)}, 0), [{k}, 0]);' for k, tree in enumerate(some))
            kernels.append(f'''\
kernel {kind}_{n}(y: &mut tensor<{t}, [K, N]> by [_, i: 64], p: &tensor<i32, [N]>, q: &tensor<i32, [N]>, r: &tensor<i32, [N]>)
{{
    let a = p.load([i], [64]);
    let b = q.load([i], [64]);
    let c = r.load([i], [64]);
{lines}
}}
''')
    return '\n'.join(kernels)


# ---- what is constant, and the same where it is loaded ------------------------------------------

CONSTANTS = dict(
    i8=[0, 1, -1, 7, -128, 127, 100], i32=[0, -1, -7, 2, 33, -2**31, 2**31 - 1], u64=[0, 1, 7, 63, 2**63 + 1, 2**64 - 1],
    f16=['-0.0', '-3.5', '6e-8', '65504.0', 'inf', '-inf', 'nan', '0.1'],
    bf16=['-0.0', '-3.5', '1e-40', '3e38', 'inf', '-inf', 'nan', '0.1'],
    f32=['0.0', '-0.0', '-3.5', '1e-40', '3.4028234663852886e38', 'inf', '-inf', 'nan', '16777217.0'],
    f64=['0.0', '-0.0', '-3.5', '1e-320', '1.7976931348623157e308', 'inf', '-inf', 'nan', '0.1'])
BOTH = ['u + v', 'u - v', 'u * v', 'u / v', 'max(u, v)', 'min(u, v)', 'select(u < v, u, v)', 'select(!(u < v), u, v)',
        'select(u == v, u, v)', 'u > v ? u : v', 'maxnum(u, v)', 'minnum(u, v)']
WHOLE = ['u % v', 'u & v', 'u | v', 'u ^ v', 'u << v', 'u >> v', 'floordiv(u, v)', 'mod(u, v)', 'ceildiv(u, v)', '~u + v']
ONE = ['-u', 'abs(u)', 'sign(u)', 'u as i32 as T', 'u as f32 as T', 'u as u8 as T', 'u as f16 as T', 'u as bf16 as T',
       'u as f64 as T', 'u as bool as T', 'u as i64 as T', 'u as f8e4m3 as T']
BROKEN = ['floor(u)', 'ceil(u)', 'round(u)', 'trunc(u)', 'sqrt(u)', 'fma(u, u, u)', 'select(isnan(u), u, -u)']


def folds(t):
    """(text of an operation, constants): of type t."""
    values, f = CONSTANTS[t], t[0] in 'fb'
    two = [o for o in BOTH + ([] if f else WHOLE) if f or 'num(' not in o]
    # Division has its special cases in pairs; elsewhere each value meets two others, other ones at each operation.
    found = [(o, (a, b)) for n, o in enumerate(two) for k, a in enumerate(values)
             for b in (values if o[2:3] in '/%' else {values[(k + n) % len(values)], values[3 * (k + n) % len(values)]})]
    return found + [(o.replace('T', t), (a, a)) for o in ONE + (BROKEN if f else []) for a in values]


def constants(t, n, some):
    lines, values = [], CONSTANTS[t]
    place = {v: k for k, v in enumerate(values)}
    lines += [f'    let c{k}: {t} = {v};' for k, v in enumerate(values)]
    lines += [f'    let x{k} = x[{k}];' for k in range(len(values))]
    for k, (o, pair) in enumerate(some):
        for row, name in ((0, 'c'), (1, 'x')):
            swapped = ''.join(f'{name}{place[pair[ch == "v"]]}' if ch in 'uv' and not (before.isalnum() or after.isalnum()) else ch
                              for before, ch, after in zip(' ' + o, o, o[1:] + ' '))
            lines.append(f'    y.put(full([1, 1], {swapped}, {t}), [{row}, {k}]);')
    return (f'kernel constants_{t}_{n}(y: &mut tensor<{t}, [2, N]> by [_, _], x: &tensor<{t}, [{len(values)}]>)\n{{\n'
            + '\n'.join(lines) + '\n}\n')


def folded():
    return '\n'.join(constants(t, n, some) for t in CONSTANTS for n, some in enumerate(pieces(folds(t), 60)))


# ---- for, while and if inside of each other -----------------------------------------------------

NESTS = [n for d in (2, 3) for n in itertools.product(('for', 'while', 'if'), repeat=d)]
EXITS = ['none', 'break', 'continue']


def nests():
    """(kinds from outside in, what ends the innermost loop early); three deep, the ways out take turns"""
    every = [(n, e) for n in NESTS for e in EXITS if e == 'none' or set(n) != {'if'}]
    return [nest for k, nest in enumerate(every) if len(nest[0]) == 2 or k % 2 == 0]


def nest(kinds, leave, depth, python):
    """The lines of one nest from a depth on, in the language or in Python; t is a tile, c a number."""
    pad, end = '    ' * (depth + 1), '' if python else ';'
    if depth == len(kinds):
        lines = [f't = t * 3 + c{end}', f'c = (c * 5 + 3) % 101{end}']
        if leave != 'none':
            test = 'c % 4 == 1'
            lines.append(f'if {test}: {leave}' if python else f'if {test} {{ {leave}; }}')
        return [pad + line for line in lines + [f't = t - 7{end}', f'c = c + 1{end}']]
    kind, w = kinds[depth], f'w{depth}'
    opened = {'for': (f'for k{depth} in range(n):', f'for k{depth} in 0..n {{'),
              'while': (f'while {w} > 0:', f'while {w} > 0 {{'),
              'if': ('if c % 2 == 0:', 'if c % 2 == 0 {')}[kind][not python]
    lines = [pad + f'c = c + {depth + 1}{end}']
    if kind == 'while':
        lines.append(pad + (f'{w} = n + 1' if python else f'let mut {w} = n + 1;'))
    lines.append(pad + opened)
    if kind == 'while':
        lines.append(pad + f'    {w} = {w} - 1{end}')
    lines += nest(kinds, leave, depth + 1, python)
    if kind == 'if':
        lines += [pad + ('else:' if python else '} else {'), pad + f'    t = t + c * 2{end}', pad + f'    c = c + 3{end}']
    if not python:
        lines.append(pad + '}')
    return lines + [pad + f't = t * 2 - c{end}']


def nesting():
    kernels = []
    for kinds, leave in nests():
        kernels.append(f'''\
kernel {"_".join(kinds)}_{leave}(y: &mut tensor<i32, [N]> by [i: 16], s: &mut tensor<i32, [ceil(N, 16)]> by [i:],
    x: &tensor<i32, [N]>, n: i32)
{{
    let mut t = x.load_like(y);
    let mut c = x[i];
''' + '\n'.join(nest(kinds, leave, 0, False)) + '\n    y.store(t);\n    s.store(c);\n}\n')
    return '\n'.join(kernels)


# ---- names ----------------------------------------------------------------------------------------
#
# Every word of the committed outputs, and many that C, C++ and CUDA have, is once the name of something.

WORDS = """double asm exp log abs y1 remove max main signed new class template threadIdx NAN linux unix __x INFINITY half min
printf warpSize alignas and auto bitand bitor case char16_t compl concept co_await constexpr decltype delete enum explicit export
extern final float friend goto inline mutable namespace noexcept nullptr operator override private requires sizeof static_cast
struct this thread_local throw typedef typename union unsigned virtual void volatile wchar_t xor _Bool _Complex NULL EOF errno
stdout assert __global__ __shared__ blockDim gridDim blockIdx dim3 uint3 float4 cudaStream_t cudaError_t __syncthreads atomicAdd
clock M_PI BUFSIZ RAND_MAX HUGE_VAL INT32_MAX FLT_MAX i386 __CUDA_ARCH__ __LINE__ TILE_EMULATOR smem std size_t int32_t uint8_t
signbit isnan gamma j0 yn div exit index time read write link select connect send pow sin free malloc strlen environ Vec Met REFUSE
launch config tensors vectors programs lane part row col at out from to blocks threads"""
ROLES = 'kernel y x M N i j s t u v k f p B'.split()


def words():
    """In an order of no meaning: so many at a time get the roles of one kernel."""
    found = set(WORDS.split())
    for path in sorted(glob.glob(os.path.join(os.path.dirname(__file__), '../../examples/*.cu'))):
        code = re.sub(r'//[^\n]*|"[^"\n]*"', ' ', open(path, encoding='utf-8').read())
        found |= set(re.findall(r'[A-Za-z_]\w*', code))
    refused = ('as barrier break const continue else false fn for if in inf kernel let mut nan pipeline return shared simt static '
               'tensor true unsafe use while bool i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 f64').split()
    # Names that two kernels' functions would share are refused, an extent is evaluated in Python, and __builtin_
    # is g++'s own.
    found = [w for w in sorted(found - set(refused)) if not re.search('^__builtin|_(strided|tile|warp|block|stream)(_|$)', w)]
    random.Random(1).shuffle(found)
    found = [w for w in found if keyword.iskeyword(w)] + [w for w in found if not keyword.iskeyword(w)]
    count = len(found) // len(ROLES)
    return [dict(zip(ROLES, found[k::count])) for k in range(count)]


def names():
    return '\n'.join('''\
fn {f}({p}: tile<f32, [4, 32]>) -> tile<f32, [4, 32]> {{ return {p} * 2.0; }}
kernel {kernel}<{B}: int = 32>({y}: &mut tensor<f32, [{M}, {N}]> by [{i}: 4, {j}: {B}], {x}: &tensor<f32, [{M}, {N}]>, {s}: f32)
{{
    let {t} = {x}.load_like({y});
    let {u} = max({t}, axis = 1, keepdims = true);
    let mut {v} = {f}({t}) - {u};
    for {k} in 0..3 {{ {v} = {v} * {s} + {x}.load([{i}, {k}], [4, 32]); }}
    {y}.store(flip({v}, 1) + {M} as f32);
}}
'''.format(**role) for role in words())


FILES = dict(operators=operators, folded=folded, nesting=nesting, names=names)
