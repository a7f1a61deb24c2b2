"""check.py -- one program or a batch of them through tilec, the interpreter, the emulator or a GPU

A verdict is (kind, text): kind is the stage and, of a refusal, its code; None is agreement.
"""
import ctypes
import os
import re
import subprocess
import tempfile
import numpy as np
import build
import value as V
from launch import Setup, difference
from memory import Cpu, Gpu
from number import RAW

OUT = os.path.join(build.ROOT, 'build', 'fuzz')
# What a program may meet that is well-typed: what does not fit the machine, or is not provable.
MAY_REFUSE = {'E1101': 'too large for registers and shared memory', 'E1102': 'no row length fits',
              'E1103': 'whole axes of two lengths that both have to be held'}
STRIDE = re.compile(r'(\w+?)_stride(?:_(\d))?')


def tilec(*args, seconds=20):
    """(status, what it said); a signal, or a hang, is a finding of its own."""
    try:
        done = subprocess.run([build.tilec(), *args], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              timeout=seconds, errors='replace')
    except subprocess.TimeoutExpired:
        return -99, 'tilec hangs'
    return done.returncode, done.stdout


def refusal(status, said):
    code = re.search(r'E\d{4}', said)
    if status == 1 and code and 'internal' not in said:
        return f'refused {code[0]}', said
    return 'tilec died', f'status {status}: {said[-2000:]}'


def translate(text, stem):
    """Writes stem.tile, .cu and .h; the verdict."""
    with open(stem + '.tile', 'w') as f:
        f.write(text)
    status, said = tilec(stem + '.tile', '-o', stem + '.cu')
    return refusal(status, said) if status else None


def command_of(program, stem, setup, prefix):
    """The `tilec run` that does one launch; its tensors are written to files that begin with prefix."""
    command, fixed = ['run', '--on=ref', stem + '.tile', program.name], set()
    for name, t in setup.tensors.items():
        path = f'{prefix}{name}.npy'
        p = next(p for p in program.params if p.name == name)
        if not t.arg.out or t.arg.inout:
            raw = setup.arena.read(t)
            np.save(path, raw.astype(bool) if t.type == 'bool' else raw)
            fixed |= {d for d in p.dims if isinstance(d, str)}
        suffix = f':{t.type}' if t.type in ('bf16', 'f8e4m3', 'f8e5m2', 'tf32') else ''
        command.append(f'{name}={path}{suffix}')
    command += [f'{n}={v}' for n, v in setup.launch.scalars.items()]
    for d, n in setup.launch.extents.items():
        if d not in fixed and any(d == x for p in program.params for x in p.dims):
            command += ['-D', f'{d}={n}']
    return command


def interpret(program, stem, setup, wanted):
    """The verdict of the reference interpreter on one launch."""
    with tempfile.TemporaryDirectory(dir=OUT) as folder:
        status, said = tilec(*command_of(program, stem, setup, folder + os.sep))
        if status:
            return 'interpreter stops', f'status {status}: {said[-1500:]}'
        raw = {}
        for name, t in setup.tensors.items():
            if t.arg.out:
                got = np.ascontiguousarray(np.load(os.path.join(folder, name + '.npy')))
                if list(got.shape) != t.shape:
                    return 'interpreter', f'{name} has shape {list(got.shape)}, not {t.shape}'
                raw[name] = got.view(np.uint8) if t.type == 'bool' else got.view(RAW[t.type])
    return against('interpreter', setup, raw, wanted)


def against(who, setup, raw, wanted):
    for name, want in (wanted or {}).items():
        trouble = difference(name, setup.tensors[name].type, raw[name], want)
        if trouble:
            return f'{who} differs', trouble
    return None


def compile_file(stem, gpu=False, level='-O0'):
    """The path of the library; build.Failed says what the compiler said. -O0 builds fast, but there the checks miss
    some stores and see copies of holes in structs: what they find has to be there at -O1 too."""
    if gpu:
        shell = [os.environ.get('NVCC', 'nvcc'), f'-arch={os.environ.get("ARCH", "native")}', '-O1', '-shared',
                 '-Xcompiler', '-fPIC', '-o', stem + '_gpu.so', stem + '.cu', os.path.join(build.HERE, 'gpu.cu')]
        build.shell(shell)
        return stem + '_gpu.so'
    flags = ['g++', level, '-std=c++17', '-fPIC', '-ffp-contract=off', '-fno-strict-aliasing', '-fsanitize=thread']
    build.shell(flags + ['-x', 'c++', '-DTILE_EMULATOR', '-include', 'tile_emulator.h', '-I', build.EMULATOR, '-I',
                         os.path.join(build.EMULATOR, 'cuda'), '-c', stem + '.cu', '-o', stem + '.o'])
    build.shell(['g++', '-shared', '-o', stem + '.so', stem + '.o', build.emulator_object(), '-lboost_context', '-pthread'])
    os.unlink(stem + '.o')
    return stem + '.so'


class Device:
    """A built library and where it runs."""

    def __init__(self, path, header, gpu=False):
        self.lib = ctypes.CDLL(path)
        self.protos = build.functions(header)
        self.runs = Gpu(self.lib) if gpu else Cpu(self.lib)
        self.who = 'GPU' if gpu else 'emulator'
        self.lib.tile_last_error.restype = ctypes.c_char_p

    def launch(self, setup, wanted):
        """The verdict on one launch."""
        name = setup.program.name
        strided = name + '_strided' in self.protos and (setup.how in ('apart', 'odd') or name not in self.protos)
        if setup.how in ('apart', 'odd') and not strided:
            return None                           # one axis only: nothing to stride
        symbol = name + '_strided' if strided else name
        self.runs.begin(setup.arena)
        status = self.lib[symbol](*arguments(self.protos[symbol], setup))
        trouble = self.runs.end(setup.arena)
        if trouble:
            return f'{self.who} stops', trouble
        if status:
            said = (self.lib.tile_last_error() or b'').decode()
            if 'this kernel takes up to' in said:         # a whole axis that has to be held, and is too long
                return None
            return f'{self.who} refuses', f'status {status}: {said}'
        trouble = setup.arena.disturbed(setup.start)
        if trouble:
            return f'{self.who} writes elsewhere', trouble
        raw = {n: setup.arena.read(t) for n, t in setup.tensors.items() if t.arg.out}
        return against(self.who, setup, raw, wanted)


def arguments(proto, setup):
    out = []
    for ctype, word in proto[:-1]:
        out.append(ctype(argument(word, setup)))
    return out + [None]


def argument(word, setup):
    for bare in (word, word.rstrip('_')):
        if bare in setup.tensors:
            t = setup.tensors[bare]
            return t.address if t.span or setup.how == 'plain' else 0
        if bare in setup.launch.absent:
            return 0
        for known in (setup.launch.scalars, setup.launch.extents):
            if bare in known:
                return known[bare]
    m = STRIDE.fullmatch(word)
    t = setup.tensors.get(m[1].rstrip('_')) if m else None
    return t.strides[int(m[2] or 0)] if t is not None else 0


def told(setup):
    """What the outputs should hold; None where tolerances leave it open."""
    try:
        return setup.expected()
    except V.Unsure:
        return None


def judge(program, stem, device=None, only=None):
    """Verdicts over the launches of a program: [(launch number, kind, text)]; device None: the interpreter."""
    for number, launch in enumerate(program.launches):
        if only is not None and number != only:
            continue
        setup = Setup(program, launch)
        wanted = told(setup)
        yield number, (interpret(program, stem, setup, wanted) if device is None else device.launch(setup, wanted)), wanted
