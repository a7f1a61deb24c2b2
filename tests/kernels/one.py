"""one.py -- every case of one file: NAME [--gpu | --unchecked | --reference] [--few]; see run.py"""
import ctypes
import inspect
import os
import re
import subprocess
import sys
import tempfile
import traceback
import zlib
import numpy as np
import build
import cases                                                  # noqa: F401  (fills CASES)
from memory import Arena, Cpu, Gpu, GpuAlone, Tensor
from number import FLOATS, RAW, Number, cast, decode, round_to
from table import CASES, extent

REFUSED = 1                                                   # cudaErrorInvalidValue


class Run:
    """A built file: its launch functions, and where they run."""

    def __init__(self, lib, protos, device, options):
        self.lib, self.protos, self.device, self.options = lib, protos, device, options
        self.runs, self.target = 0, None

    def turn_target(self):
        """The next launch is one on another GPU, as the emulator has it, unless there is to be one `target` alone."""
        self.runs += 1
        os.environ['TILE_EMU_TARGET'] = self.target or ('sm_80', 'sm_90a')[self.runs % 2]

    def symbol(self, case, t, strided):
        name = case.kernel + (f'_{t}' if t else '')
        for n in (name, name + '_', f'{case.kernel}__{t}'):
            n += '_strided' if strided else ''
            if n in self.protos:
                return n
        return None


class Counts:
    def __init__(self):
        self.passed = self.failed = 0
        self.told = {}

    def add(self, what, kernel, trouble):
        if trouble is None:
            self.passed += 1
            return
        self.failed += 1
        self.told[kernel] = self.told.get(kernel, 0) + 1
        if self.told[kernel] <= 3:
            print(f'{what}: {trouble}')


# ---- one case -----------------------------------------------------------------------------------


class Setup:
    """The arguments of a case: tensors in an arena, scalars, what the reference is called with."""

    def __init__(self, case, t, size, how, number):
        self.case, self.t, self.size, self.how = case, t, size, how
        self.what = f'{case.file} {case.kernel}{"_" + t if t else ""} {fmt(size)} {how}'
        rng = np.random.default_rng(zlib.crc32(self.what.encode()))
        kind = lambda a: t if a.type == case.type_name else a.type
        optional = [a for a in case.args if a.opt]
        self.absent = {a.name for k, a in enumerate(optional) if number >> k & 1}
        self.scalars, self.inputs, self.tensors = dict(size), dict(size), {}
        self.inputs['T'] = t
        for a in case.args:
            if a.scalar:
                if a.value is not None and a.name not in size:
                    self.scalars[a.name] = eval(a.value, {'inf': float('inf')}, dict(size))
                v = self.scalars[a.name]
                self.inputs[a.name] = (Number(np.float32(v) if kind(a) == 'f32' else v, kind(a))
                                       if kind(a) in FLOATS else v)
            elif a.name in self.absent:
                self.inputs[a.name] = None
            else:
                self.tensors[a.name] = Tensor(a, kind(a), [extent(s, size) for s in a.shape], how)
        self.arena = Arena(list(self.tensors.values()), how == 'far')
        for name, tensor in self.tensors.items():
            data = None
            if not tensor.arg.out or tensor.arg.inout:
                data = case.data.get(name, default_data)(rng, tuple(tensor.shape), tensor.type)
            raw = self.arena.fill(tensor, data)
            if data is not None:
                v = decode(tensor.type, raw)
                self.inputs[name] = Number(v, tensor.type) if tensor.type in FLOATS else v

    def expected(self):
        """name -> what each output that is there should hold."""
        wanted = inspect.signature(self.case.ref).parameters
        if any(p.kind == p.VAR_KEYWORD for p in wanted.values()):
            wanted = self.inputs
        result = self.case.ref(**{k: self.inputs[k] for k in wanted})
        outs = [a.name for a in self.case.args if a.out]
        if not isinstance(result, dict):
            result = {outs[0]: result}
        return {k: v for k, v in result.items() if k in self.tensors}


def default_data(rng, shape, t):
    if t in FLOATS:
        return rng.normal(size=shape)
    if t == 'bool':
        return rng.integers(0, 2, shape)
    return rng.integers(0 if t[0] == 'u' else -50, 100, shape)


def fmt(size):
    return ' '.join(f'{k}={v}' for k, v in size.items())


def arguments(proto, setup, changed=()):
    """The C arguments, in the order of the prototype; `changed` overrides some by name."""
    changed = dict(changed)
    out = []
    for ctype, word in proto[:-1]:
        bare = next((w for w in (word, word.removesuffix('_'), word.rstrip('_')) if known(w, setup)), None)
        if bare is None:
            raise KeyError(f'nothing is known about the argument {word}')
        out.append(ctype(changed[bare] if bare in changed else value_of(bare, setup)))
    return out + [None]


STRIDE = re.compile(r'(\w+?)_stride(?:_(\d))?')
UNNAMED = re.compile(r'(\w+?)_extent_(\d)')


def known(word, setup):
    names = [a.name for a in setup.case.args]
    if word in names or word in setup.scalars:
        return True
    m = STRIDE.fullmatch(word) or UNNAMED.fullmatch(word)
    return bool(m) and m[1].rstrip('_') in names


def value_of(word, setup):
    if word in setup.tensors:
        t = setup.tensors[word]
        return t.address if t.span or setup.how == 'plain' else 0       # nothing may be NULL
    if word in setup.absent:
        return 0
    if word in setup.scalars:
        return setup.scalars[word]
    m = STRIDE.fullmatch(word)
    tensor = setup.tensors.get((m or UNNAMED.fullmatch(word))[1].rstrip('_'))
    if tensor is None:
        return 0
    return tensor.strides[int(m[2] or 0)] if m else tensor.shape[int(UNNAMED.fullmatch(word)[2])]


def compare(name, raw, t, want, same_bits):
    """None, or where an output first differs from its reference."""
    if isinstance(want, Number):
        if want.t != t and t in FLOATS and want.t in FLOATS:
            want = cast(want, t)
        got = decode(t, raw)
        v = np.broadcast_to(want.v, got.shape)
        e = np.broadcast_to(want.e, got.shape)
        ok = (np.isnan(v) & np.isnan(got)) | (got == v) | (np.abs(got - v) <= e)
        ok |= (e > 0) & (got == round_to(t, v))              # beyond the largest finite value
        if same_bits:
            ok &= np.isnan(v) | (e > 0) | (np.signbit(got) == np.signbit(v))
    else:
        got = raw
        v = np.broadcast_to(np.asarray(want), got.shape)
        v = v.astype(raw.dtype)
        ok, e = got == v, None
    if ok.all():
        return None
    at = tuple(int(i) for i in np.argwhere(~ok)[0])
    allowed = '' if e is None else f' (allowed {e[at]:.3g}, off by {abs(got[at] - v[at]):.3g})'
    return f'{name}{list(at)} is {got[at]!r}, not {v[at]!r}{allowed}; {np.sum(~ok)} of {ok.size} wrong'


def run_case(run, setup):
    """None, or what went wrong."""
    strided = setup.how in ('apart', 'odd', 'far')
    symbol = run.symbol(setup.case, setup.t, strided)
    if symbol is None:
        return f'no launch function in the header'
    before = setup.arena.copy()
    run.turn_target()
    run.device.begin(setup.arena)
    status = run.lib[symbol](*arguments(run.protos[symbol], setup))
    trouble = run.device.end(setup.arena)
    if trouble:
        return trouble
    if status:
        return f'refused with status {status}: {last_error(run.lib)}'
    trouble = setup.arena.disturbed(before)
    if trouble:
        return trouble
    return compare_all(setup, {n: setup.arena.read(t) for n, t in setup.tensors.items() if t.arg.out})


def compare_all(setup, raw):
    """None, or where an output first differs from what it should hold. raw: the outputs by name."""
    for name, want in setup.expected().items():
        if callable(want):
            trouble = want({n: decode(setup.tensors[n].type, r) for n, r in raw.items()})
        else:
            trouble = compare(name, raw[name], setup.tensors[name].type, want, setup.case.same_bits)
        if trouble:
            return trouble
    return None


def last_error(lib):
    lib.tile_last_error.restype = ctypes.c_char_p
    return (lib.tile_last_error() or b'').decode()


def run_again(run, setup, times):
    """None, or that a case gave other bits when it was run again."""
    symbol = run.symbol(setup.case, setup.t, False)
    start, first = setup.arena.host.copy(), None
    for k in range(times):
        setup.arena.host[:] = start
        run.device.begin(setup.arena)
        run.lib[symbol](*arguments(run.protos[symbol], setup))
        run.device.end(setup.arena)
        first = setup.arena.host.copy() if k == 0 else first
        if not np.array_equal(first, setup.arena.host):
            return f'run {k + 1} gave other bits than the first'
    return None


# ---- refusals -------------------------------------------------------------------------------------


def refusals(setup, proto):
    """Changes of a good call that the launch function must refuse: (what, changes, words)."""
    words = {w.rstrip('_') for _, w in proto}
    for a in setup.case.args:
        t = setup.tensors.get(a.name)
        if t is None or not t.span:
            continue
        if not a.opt:
            yield f'{a.name} is NULL', {a.name: 0}, [a.name]
        for other in setup.case.args:
            o = setup.tensors.get(other.name)
            if a.out and o is not None and o is not t and o.span:
                yield f'{a.name} overlaps {other.name}', {a.name: o.address}, [a.name, other.name]
        if a.out and f'{a.name}_stride' in words and not a.strided and min(t.shape) > 1:
            yield f'rows of {a.name} overlap', {f'{a.name}_stride': t.shape[-1] - 1}, [a.name]
    alone = {s for a in setup.case.args if not a.opt for s in a.shape}
    for name in setup.size:
        if name in alone and name in words:
            yield f'{name} is negative', {name: -1}, [name]


def run_refusals(run, setup, counts):
    for strided in (False, True):
        symbol = run.symbol(setup.case, setup.t, strided)
        if symbol is None:
            continue
        proto = run.protos[symbol]
        before = setup.arena.host.copy()
        run.device.begin(setup.arena)
        done = []
        for what, changed, words in refusals(setup, proto):
            status = run.lib[symbol](*arguments(proto, setup, changed))
            text = last_error(run.lib)
            trouble = None
            if status != REFUSED:
                trouble = f'not refused (status {status})'
            elif not all(w in text for w in words):
                trouble = f'the reason does not name {" and ".join(words)}: {text!r}'
            done.append((what, trouble))
        run.device.end(setup.arena)
        touched = not np.array_equal(before, setup.arena.host)
        for what, trouble in done:
            counts.add(f'{setup.what} {symbol}, {what}', setup.case.kernel,
                       trouble or ('memory was touched' if touched else None))


# ---- the reference interpreter --------------------------------------------------------------------


def run_reference(setup):
    """The case by `tilec run --on=ref`, compared as the others are."""
    with tempfile.TemporaryDirectory(dir=build.OUT) as folder:
        return run_reference_in(folder, setup)


def run_reference_in(folder, setup):
    command = [build.tilec(), 'run', '--on=ref', '-I', os.path.join(build.ROOT, 'stdlib'),
               build.source(setup.case.file), setup.case.kernel]
    fixed = set()
    for name, t in setup.tensors.items():
        path = os.path.join(folder, name + '.npy')
        if not t.arg.out or t.arg.inout:
            raw = setup.arena.read(t)
            np.save(path, raw.astype(bool) if t.type == 'bool' else raw)
            fixed |= set(t.arg.shape)
        suffix = f':{t.type}' if t.type in ('bf16', 'f8e4m3', 'f8e5m2', 'tf32') else ''
        command.append(f'{name}={path}{suffix}')
    for name, v in setup.scalars.items():
        is_extent = any(name == s for a in setup.case.args for s in a.shape)
        if not is_extent and any(a.name == name and a.scalar for a in setup.case.args):
            command.append(f'{name}={int(v) if isinstance(v, bool) else v}')
        elif name.isidentifier() and is_extent and name not in fixed:
            command += ['-D', f'{name}={v}']
        elif not is_extent:
            command.append(f'{name}={int(v)}')
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        return f'tilec run: status {done.returncode}: {done.stdout.strip()[:300]}'
    raw = {}
    for name, t in setup.tensors.items():
        if not t.arg.out:
            continue
        got = np.load(os.path.join(folder, name + '.npy'))
        if list(got.shape) != t.shape:
            return f'tilec run: {name} has shape {list(got.shape)}, not {t.shape}'
        got = np.ascontiguousarray(got)
        raw[name] = got.view(np.uint8) if t.type == 'bool' else got.view(RAW[t.type])
    trouble = compare_all(setup, raw)
    return 'tilec run: ' + trouble if trouble else None



# ---- all of them ------------------------------------------------------------------------------------


def layouts(type_index, number):
    """The first type in every layout, the others dense and in one more."""
    every = ['plain', 'shifted', 'apart', 'odd']
    return every if type_index == 0 else ['plain', every[1 + number % 3]]


def chosen(sizes, few):
    """All sizes; or, of those without a 0, the smallest third's last and the largest."""
    if not few:
        return sizes
    full = [s for s in sizes if all(v != 0 for v in s.values())] or sizes
    return [full[len(full) // 3], full[-1]] if len(full) > 1 else full


def run_sizes(run, case, k, t, sizes, counts):
    """Every size in its layouts."""
    optional, number = sum(a.opt for a in case.args), 0
    for size in sizes:
        for how in layouts(k, number):
            if how in ('apart', 'odd') and run.symbol(case, t, True) is None:
                continue
            setup = Setup(case, t, size, how, (number + number // 4) % (1 << optional))
            number += 1
            without = f' without {" ".join(sorted(setup.absent))}' if setup.absent else ''
            counts.add(setup.what + without, case.kernel, run_case(run, setup))


def run_special(run, case, t, sizes, counts):
    """Of ordinary sizes: refusals, a sample by the interpreter, the same bits when run again."""
    plain = [Setup(case, t, size, 'plain', n) for n, size in enumerate(sizes) if min(size.values(), default=2) > 0]
    plain = [s for s in plain if all(t.span for t in s.tensors.values())]
    if not plain:
        return
    if run.device:
        larger = next((s for s in plain if min(s.size.values(), default=2) > 1), plain[0])
        run_refusals(run, Setup(case, t, larger.size, 'plain', 0), counts)
        again = Setup(case, t, plain[-1].size, 'plain', 0)
        if not case.unordered:
            counts.add(again.what + ' again', case.kernel,
                       run_again(run, again, 50 if '--gpu' in run.options else 5))
    small = [s for s in plain if s.arena.host.size < 1 << 18]
    for number, s in enumerate(small[::max(len(small) // 2, 1)][:2]):
        s = Setup(case, t, s.size, 'plain', number % (1 << sum(a.opt for a in case.args)))
        counts.add(s.what + ' by the interpreter', case.kernel, run_reference(s))


def run_table(run, case, t, size, counts):
    """One size, dense or with holes: on the device, and by the interpreter."""
    setup = Setup(case, t, size, 'far' if case.table == 'far' else 'plain', 0)
    reference = None if '--gpu' in run.options else run_reference(setup)
    if run.device:
        counts.add(setup.what, case.kernel, run_case(run, setup))
    counts.add(setup.what + ' by the interpreter', case.kernel, reference)


def many_programs(sizes):
    """A size for the GPU alone, with many programs: no larger than the kernel's own sizes go where those
    are long, since a kernel may take no more."""
    M, N = (max(s[n] for s in sizes) for n in ('M', 'N'))
    return dict(M=M if M > 1000 else 2001, N=min(N, 514))


def run_kernel(run, case, edges, counts):
    few, gpu = '--few' in run.options, '--gpu' in run.options
    sizes = case.sizes(edges) if callable(case.sizes) else case.sizes
    for k, t in enumerate(dict.fromkeys((case.types[0], case.types[-1])) if few else case.types):
        if run.symbol(case, t, False) is None:
            counts.add(f'{case.file} {case.kernel} {t or ""}', case.kernel, 'no such launch function in the header')
            continue
        if case.table:
            for size in sizes:
                run_table(run, case, t, size, counts)
            continue
        many = [many_programs(sizes)] if gpu and not few and set(sizes[-1]) == {'M', 'N'} else []
        if run.device:
            run_sizes(run, case, k, t, chosen(sizes, few) + many, counts)
        if not few:
            run_special(run, case, t, sizes, counts)


def run_all(name, options, counts):
    gpu = '--gpu' in options
    cu, header, so = build.build(name, gpu, '--unchecked' not in options, '--reference' in options)
    lib = ctypes.CDLL(so) if so else None
    device = lib and (Cpu(lib) if not gpu else GpuAlone(lib) if '--few' in options else Gpu(lib))
    run = Run(lib, build.functions(header), device, options)
    for case in CASES:
        if case.file != name:
            continue
        try:
            run_kernel(run, case, build.capacities(cu), counts)
        except Exception:
            counts.add(f'{name} {case.kernel}', case.kernel, traceback.format_exc())


def main():
    name, options = sys.argv[1], sys.argv[2:]
    counts = Counts()
    try:
        run_all(name, options, counts)
    except build.Failed as failed:
        counts.add(name, None, failed)
    print(f'counts {counts.passed} {counts.failed} 0')


if __name__ == '__main__':
    main()
