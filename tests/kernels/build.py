"""build.py -- one translation and one build a file; the launch functions as the header declares them"""
import ctypes
import fcntl
import filecmp
import glob
import os
import re
import shlex
import subprocess
import made

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
OUT = os.path.join(ROOT, 'build', 'tests', 'kernels')
EMULATOR = os.path.join(ROOT, 'emulator')
CXX = ['g++', os.environ.get('OPTIMIZE', '-O1'), '-std=c++17', '-fPIC', '-ffp-contract=off', '-fno-strict-aliasing']


def tilec():
    return os.environ.get('TILEC', os.path.join(ROOT, 'build', 'tilec'))


def source(name):
    """tests/kernels/NAME.tile, a path from the root: stdlib/std/nn, or made/NAME, which is written first."""
    if name.startswith('made/'):
        return written(name)
    return os.path.join(ROOT if '/' in name else HERE, name + '.tile')


def written(name):
    """A file of made.py, whole at any time."""
    path = os.path.join(OUT, name.replace('/', '_') + '.tile')
    text = made.FILES[name.split('/')[1]]()
    if not os.path.exists(path) or open(path).read() != text:
        with open(f'{path}.{os.getpid()}', 'w') as f:
            f.write(text)
        os.replace(f'{path}.{os.getpid()}', path)
    return path


class Failed(Exception):
    pass


def shell(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        raise Failed('\n'.join([' '.join(map(shlex.quote, command))] + done.stdout.split('\n')[:30]))


def older(target, *sources):
    return not os.path.exists(target) or any(os.path.getmtime(s) > os.path.getmtime(target) for s in sources)


def emulator_object():
    """The emulator itself, built once for all files; the first to come builds it."""
    target = os.path.join(OUT, 'tile_emulator.o')
    code = glob.glob(os.path.join(EMULATOR, '*.cpp'))
    with open(os.path.join(OUT, 'lock'), 'w') as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if older(target, *code, *glob.glob(os.path.join(EMULATOR, '*.h'))):
            parts = []
            for c in code:
                part = os.path.join(OUT, os.path.basename(c) + '.o')
                shell(['g++', '-O2', '-std=c++17', '-fPIC', '-DTILE_EMULATOR', '-I', EMULATOR,
                       '-I', os.path.join(EMULATOR, 'cuda'), '-c', c, '-o', part])
                parts.append(part)
            shell(['g++', '-r', '-nostdlib', '-o', target] + parts)
    return target


def compiled(name, cu):
    """What to link: an object that tests/nvcc/run.sh left in OBJECTS, if it is of the same text; else the .cu."""
    path = os.path.relpath(source(name), ROOT).replace(os.sep, '_')
    there = os.path.join(os.environ.get('OBJECTS', ''), path)
    same = os.path.exists(there + '.o') and filecmp.cmp(there + '.cu', cu, shallow=False)
    return there + '.o' if same else cu


def build(name, gpu, checked, translated_alone=False):
    """The paths of the .cu, the .h and the .so (None if it is translated alone); Failed says what went wrong."""
    stem = os.path.join(OUT, name.replace('/', '_'))
    os.makedirs(OUT, exist_ok=True)
    cu, header = stem + '.cu', stem + '.h'
    arch = os.environ.get('ARCH', 'native')
    so = stem + (f'_gpu_{arch}.so' if gpu else '.so' if checked else '_unchecked.so')
    shell([tilec(), source(name), '-I', os.path.join(ROOT, 'stdlib'), '-o', cu])
    if translated_alone:
        return cu, header, None
    if gpu:
        if older(so, cu, os.path.join(HERE, 'gpu.cu')):
            shell([os.environ.get('NVCC', 'nvcc'), f'-arch={arch}', '-O3', '-shared', '-Xcompiler', '-fPIC',
                   '-o', so, compiled(name, cu), os.path.join(HERE, 'gpu.cu')])
    else:
        core = emulator_object()
        part = so[:-3] + '.o'
        if older(so, cu, core):
            flags = ['-fsanitize=thread'] if checked else []
            shell(CXX + flags + ['-x', 'c++', '-DTILE_EMULATOR', '-include', 'tile_emulator.h', '-I', EMULATOR,
                                 '-I', os.path.join(EMULATOR, 'cuda'), '-c', cu, '-o', part])
            shell(['g++', '-shared', '-o', so, part, core, '-lboost_context', '-pthread'])
    return cu, header, so


TYPES = {'int64_t': ctypes.c_int64, 'int32_t': ctypes.c_int32, 'int16_t': ctypes.c_int16, 'int8_t': ctypes.c_int8,
         'uint64_t': ctypes.c_uint64, 'uint32_t': ctypes.c_uint32, 'uint16_t': ctypes.c_uint16,
         'uint8_t': ctypes.c_uint8, 'bool': ctypes.c_bool, 'float': ctypes.c_float, 'double': ctypes.c_double}


def functions(header):
    """name -> [(ctypes type, parameter name)] of every launch function that a header declares."""
    text = re.sub(r'/\*.*?\*/', '', open(header).read(), flags=re.S)
    found = {}
    for name, params in re.findall(r'cudaError_t\s+(\w+)\(([^)]*)\)\s*;', text):
        one = []
        for p in params.split(','):
            kind, star, word = re.fullmatch(r'\s*(?:const\s+)?(\w+)\s*(\**)\s*(\w+)\s*', p).groups()
            one.append((ctypes.c_void_p if star or kind == 'cudaStream_t' else TYPES[kind], word))
        found[name] = one
    return found


def capacities(cu):
    """The row lengths at which the launch functions of a file change variant."""
    return sorted({int(n) for n in re.findall(r'_(?:warp|block|tile)_(\d+)(?:_\w+)?\(', open(cu).read())})
