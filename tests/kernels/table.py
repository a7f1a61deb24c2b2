"""table.py -- what a test case is: a kernel, its arguments, sizes, and a reference

    @case('03_layernorm', 'layernorm', 'T: f32 f16 bf16',
          'y: T[M, N] out; mean: f32[M] out opt; x: T[M, N]; b: T[N] opt; eps: f32 = 1e-5',
          sizes(M=[0, 1, 3], N=ROW))
    def _(x, b, eps): return dict(y=.., mean=..)

An argument is `name: type[shape]` with `out` (every element written), `inout` (read and written,
or written in part), `once` (no element may be written twice in a launch, which the emulator checks),
`opt` (may be NULL: cases with and without it), `strided` (a stride on every axis), or a scalar with
`= value`; a scalar or listed static without a value is taken from the sizes. The reference gets the
inputs by name, floats as Numbers, the others as integer arrays, absent ones as None, sizes as ints;
it returns the outputs by name. `data` gives other than normal inputs: name -> f(rng, shape, T);
`same_bits` tells +0 from -0. Of `unordered` cases the bits may differ from run to run, by the order of
atomics; what holds all the same a reference says by a function: outputs by name -> what is wrong, or None.
A `table` shows what operations mean, not where tiles end: it runs once a size, dense, and by the
interpreter; `far`: with gigabytes between rows.
"""
import itertools
import re

CASES = []                    # every Case, in the order of the files


class Arg:
    def __init__(self, text):
        m = re.fullmatch(r'\s*(\w+)\s*:\s*(\w+)\s*(\[.*?\])?\s*((?:out|inout|once|opt|strided|\s)*)(?:=\s*(.*))?', text)
        self.name, self.type, shape, words, self.value = m.groups()
        words = words.split()
        self.out = 'out' in words or 'inout' in words
        self.inout, self.opt, self.strided = 'inout' in words, 'opt' in words, 'strided' in words
        self.once = 'once' in words
        self.scalar = shape is None
        self.shape = [] if self.scalar else [s.strip() for s in split_commas(shape[1:-1])]


def split_commas(text):
    """Cut at the commas that are in no bracket."""
    return re.split(r',(?![^()]*\))', text) if text.strip() else []


class Case:
    def __init__(self, file, kernel, types, args, sizes, ref, data, same_bits, unordered, table):
        self.file, self.kernel, self.ref, self.data, self.same_bits = file, kernel, ref, data, same_bits
        self.unordered, self.table = unordered, table
        name, _, listed = types.partition(':')
        self.type_name, self.types = name.strip(), listed.split() or [None]
        self.args = [Arg(a) for a in args.split(';') if a.strip()]
        self.sizes = sizes    # a list, or a function from the capacities in the .cu to one


def case(file, kernel, types, args, sizes, data=None, same_bits=False, unordered=False, table=False):
    """Registers the decorated function as the reference of a kernel."""
    def register(ref):
        CASES.append(Case(file, kernel, types, args, sizes, ref, data or {}, same_bits, unordered, table))
        return ref
    return register


def sizes(**lists):
    """Every combination of the given lists, as dictionaries."""
    keys = list(lists)
    return [dict(zip(keys, v)) for v in itertools.product(*lists.values())]


def around(*edges):
    """The extents of the standard list, and each edge plus and minus 1."""
    at = {0, 1, 2, 31, 33, 48, 97}
    for e in edges:
        at |= {e - 1, e, e + 1}
    return sorted(n for n in at if n >= 0)


def extent(text, env):
    """An extent expression under the sizes of a case."""
    return int(eval(text.replace('/', '//'), {'ceil': lambda a, b: -(-a // b)}, env))
