#!/usr/bin/env python3
"""bench.py -- times translated kernels beside torch, torch.compile and Triton

usage: bench.py [--quick] [--only PATTERN] [--out FILE]

All contenders run in one process on the same normally distributed data, interleaved; each result is
first held against float64. L2 is flushed before every run, except of rows that say hot: there a
graph of many launches is replayed. Times are medians; GB/s count each input read once and each
output written once. A row that misses its goal is marked. Writes bench/results/DATE_gpu.md.

    --quick          fewer runs, no torch.compile
    --only PATTERN   the rows whose text contains it: softmax, 8192x8192, bf16

Needs a GPU, nvcc, torch and Triton; TILEC names the translator (default: build/tilec).
"""
import argparse
import concurrent.futures
import ctypes
import os
import statistics
import subprocess
import sys
import time
import torch
import peers

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
BUILD = os.path.join(ROOT, 'build', 'bench')
DTYPE = {'f32': torch.float32, 'bf16': torch.bfloat16}

# kernel, shape, type, goal: GB/s; 'torch': at least torch; a fraction of torch's time for hot rows
TARGETS = [
    ('vecadd', (1 << 28,), 'f32', 'torch'),
    ('affine', (1 << 28,), 'f32', 'torch'),
    ('softmax hot', (4096, 256), 'f32', 0.85),
    ('softmax', (4096, 1000), 'f32', 2800),
    ('softmax', (50000, 781), 'f32', 4000),
    ('softmax', (65536, 1024), 'f32', 4150),
    ('softmax', (8192, 8192), 'f32', 4020),
    ('softmax', (8192, 8192), 'bf16', 3950),
    ('softmax', (32768, 4096), 'bf16', 4080),
    ('softmax', (4096, 32768), 'bf16', 3800),
    ('softmax', (1024, 131072), 'f32', 3800),
    ('softmax', (4096, 32768), 'f32', 4030),
    ('layernorm', (8192, 8192), 'bf16', 3950),
    ('layernorm', (32768, 1024), 'bf16', 3900),
    ('rmsnorm', (16384, 8192), 'bf16', 4157),
    ('rmsnorm', (2048, 65536), 'bf16', 3900),
]
# The same operation over the lengths of rows, about half a GB each: no goal, but no cliffs either.
SWEEP = [('softmax', ((1 << 29) // (N * size), N), t, None)
         for t, size in (('f32', 4), ('bf16', 2))
         for N in (256, 512, 1000, 1024, 2048, 4096, 8192, 16384, 32768)]


def label(row):
    name, shape, t, _ = row
    return f'{name} {"x".join(map(str, shape))} {t}'


# ---- ours ---------------------------------------------------------------------------------------


def build(name):
    """The launch functions of kernels/NAME.tile."""
    os.makedirs(BUILD, exist_ok=True)
    cu, so = os.path.join(BUILD, name + '.cu'), os.path.join(BUILD, name + '.so')
    tilec = os.environ.get('TILEC', os.path.join(ROOT, 'build', 'tilec'))
    subprocess.run([tilec, os.path.join(HERE, 'kernels', name + '.tile'), '-o', cu], check=True)
    major, minor = torch.cuda.get_device_capability()
    arch = f'sm_{major}{minor}' + ('a' if major == 9 else '')
    subprocess.run(['nvcc', f'-arch={arch}', '-O3', '-shared', '-Xcompiler', '-fPIC', '-o', so, cu], check=True)
    return ctypes.CDLL(so)


FILES = {'vecadd': 'elementwise', 'affine': 'elementwise', 'softmax': 'softmax',
         'layernorm': 'norms', 'rmsnorm': 'norms'}


def our_call(lib, name, t, out, inputs):
    """A launch on the current stream; arguments are made once, as a C program would have them."""
    function = lib[name if len(out.shape) == 1 else f'{name}_{t}']
    scalars = {'affine': [ctypes.c_float(2.0), ctypes.c_float(0.5)], 'layernorm': [ctypes.c_float(1e-5)],
               'rmsnorm': [ctypes.c_float(1e-6)]}.get(name, [])
    tensors = [ctypes.c_void_p(v.data_ptr()) for v in [out] + inputs if v.dim() > 0]
    extents = [ctypes.c_int64(n) for n in out.shape]
    lib.tile_last_error.restype = ctypes.c_char_p

    def call():
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        status = function(*tensors, *scalars, *extents, stream)
        if status:
            raise RuntimeError(f'{name}: status {status}: {lib.tile_last_error().decode()}')
    return call


# ---- measuring ------------------------------------------------------------------------------------


def make_inputs(name, shape, t):
    normal = lambda *s: torch.randn(*s, device='cuda', dtype=torch.float32).to(DTYPE[t])
    x = normal(*shape)
    if name == 'vecadd':
        return [x, normal(*shape)]
    if name == 'affine':
        return [x, torch.tensor(2.0, device='cuda'), torch.tensor(0.5, device='cuda')]
    return [x] + [normal(shape[1]) for _ in {'layernorm': 'wb', 'rmsnorm': 'w'}.get(name, '')]


def reference(name, inputs):
    """float64, in pieces of rows so that it fits."""
    if name == 'affine':
        return lambda lo, hi: inputs[0][lo:hi].double() * 2.0 + 0.5
    if name == 'vecadd':
        return lambda lo, hi: inputs[0][lo:hi].double() + inputs[1][lo:hi].double()
    return lambda lo, hi: peers.EAGER[name](inputs[0][lo:hi].double(), *[v.double() for v in inputs[1:]])


def check(what, name, out, inputs, t):
    """Stops if a result is further from float64 than a few units of its type."""
    exact, step = reference(name, inputs), max(1, (1 << 26) // max(out[0].numel(), 1))
    for lo in range(0, out.shape[0], step):
        want = exact(lo, lo + step)
        got = out[lo:lo + step].double()
        allowed = {'f32': 2e-5, 'bf16': 8e-3}[t] * (want.abs() + want.abs().mean())
        if not bool(((got - want).abs() <= allowed).all()):
            worst = float((got - want).abs().max())
            raise SystemExit(f'{what}: {name} is wrong, by {worst:.3g}')


class Timer:
    """Medians of interleaved runs, L2 flushed before each by writing more than it holds."""

    def __init__(self, quick):
        self.quick = quick
        self.flush = torch.empty(512 << 20, dtype=torch.int8, device='cuda')

    def one(self, call):
        begin, end = torch.cuda.Event(True), torch.cuda.Event(True)
        self.flush.zero_()
        begin.record()
        call()
        end.record()
        return begin, end

    def interleaved(self, calls, runs):
        """Seconds of each call, by name."""
        for call in calls.values():
            call()
        events = {name: [] for name in calls}
        for _ in range(runs):
            for name, call in calls.items():
                events[name].append(self.one(call))
        torch.cuda.synchronize()
        return {name: statistics.median(b.elapsed_time(e) for b, e in pairs) / 1e3 for name, pairs in events.items()}

    def hot(self, calls, runs, launches=200):
        """Seconds of one launch within a replayed graph of many."""
        graphs = {}
        for name, call in calls.items():
            call()
            torch.cuda.synchronize()
            graphs[name] = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graphs[name]):
                for _ in range(launches):
                    call()
        self.flush.zero_()
        events = {name: [] for name in calls}
        for _ in range(runs):
            for name, graph in graphs.items():
                begin, end = torch.cuda.Event(True), torch.cuda.Event(True)
                graph.replay()
                begin.record()
                graph.replay()
                end.record()
                events[name].append((begin, end))
        torch.cuda.synchronize()
        return {name: statistics.median(b.elapsed_time(e) for b, e in pairs) / 1e3 / launches
                for name, pairs in events.items()}


def contenders(row, libs, timer, out, inputs):
    name, t = row[0].split()[0], row[2]
    calls = {'ours': our_call(libs[FILES[name]], name, t, out, inputs),
             'torch': lambda: peers.EAGER[name](*torch_inputs(name, inputs))}
    if name == 'softmax':
        calls['fast'] = our_call(libs['softmax'], 'softmax_fast', t, out, inputs)
    if not timer.quick:
        fast = peers.compiled(name)
        calls['compile'] = lambda: fast(*torch_inputs(name, inputs))
    tried = {}
    for k, call in enumerate(peers.triton_calls(name, out, inputs)):
        try:
            call()
            tried[k] = call
        except Exception as refused:                          # a configuration that does not fit
            print(f'{label(row)}: Triton: {str(refused).splitlines()[0]}', file=sys.stderr)
    if tried:
        seconds = timer.interleaved(tried, 5)
        calls['triton'] = tried[min(seconds, key=seconds.get)]
    return calls


def torch_inputs(name, inputs):
    return [inputs[0], 2.0, inputs[2]] if name == 'affine' else inputs


def measure(row, libs, timer):
    """(seconds by contender, bytes) of one row, after the check."""
    name, shape, t = row[0].split()[0], row[1], row[2]
    torch.manual_seed(1)
    inputs = make_inputs(name, shape, t)
    out = torch.full(shape, float('nan'), device='cuda', dtype=DTYPE[t])
    calls = contenders(row, libs, timer, out, inputs)
    if 'triton' in calls:
        out.fill_(float('nan'))
        calls['triton']()
        check('triton', name, out, inputs, t)
    out.fill_(float('nan'))
    calls['ours']()
    check('ours', name, out, inputs, t)
    if 'fast' in calls:
        out.fill_(float('nan'))
        calls['fast']()
        check('ours, fast_math', name, out, inputs, t)
    runs = 15 if timer.quick else 40
    seconds = timer.hot(calls, 20) if 'hot' in row[0] else timer.interleaved(calls, runs)
    big = [v for v in inputs if v.dim() > 0]
    return seconds, sum(v.numel() * v.element_size() for v in big + [out])


def missed(goal, seconds, bytes_):
    if goal is None:
        return False
    if goal == 'torch':
        return seconds['ours'] > 1.005 * seconds['torch']     # half a percent is noise
    if isinstance(goal, float):
        return seconds['ours'] > goal * seconds['torch']
    return bytes_ / seconds['ours'] < goal * 1e9


# ---- the table --------------------------------------------------------------------------------------


def line(row, seconds, bytes_):
    hot = 'hot' in row[0]
    show = lambda c: ('' if c not in seconds else f'{seconds[c] * 1e6:.2f} us' if hot
                      else f'{bytes_ / seconds[c] / 1e9:.0f}')
    goal = row[3]
    text = '' if goal is None else 'torch' if goal == 'torch' else f'{goal} of torch' if hot else str(goal)
    best = min(v for k, v in seconds.items() if k not in ('ours', 'fast'))
    mark = ' **missed**' if missed(goal, seconds, bytes_) else ''
    return (f'| {row[0]} | {"x".join(map(str, row[1]))} | {row[2]} | {show("ours")} | {show("fast")} | {show("torch")} | '
            f'{show("compile")} | {show("triton")} | {seconds["torch"] / seconds["ours"]:.2f} | '
            f'{best / seconds["ours"]:.2f} | {text}{mark} |')


def head(quick):
    props = torch.cuda.get_device_properties(0)
    query = ['nvidia-smi', '--query-gpu=driver_version,clocks.max.sm', '--format=csv,noheader', '-i', '0']
    driver = subprocess.run(query, capture_output=True, text=True).stdout.strip()
    nvcc = subprocess.run(['nvcc', '--version'], capture_output=True, text=True).stdout.strip().split('\n')[-2]
    import triton
    return (f'# {props.name}, {time.strftime("%Y-%m-%d")}\n\n'
            f'{props.multi_processor_count} multiprocessors; driver and clock {driver}; {nvcc.strip()}; torch '
            f'{torch.__version__}; Triton {triton.__version__}.{" Quick run." if quick else ""}\n\n'
            'GB/s, each input read once and each output written once; hot rows in microseconds a launch. Medians of\n'
            'interleaved runs on the same random data, L2 flushed, in one process (`make bench`). The ratios are the\n'
            'time of torch, and of the fastest of the others, over ours. `fast_math` is ours with that attribute: the\n'
            'approximate exponential and quotient that torch.compile and Triton always take.\n\n'
            '| kernel | shape | type | ours | fast_math | torch | compile | Triton | torch / ours | best other / ours | goal |\n'
            '|---|---|---|---|---|---|---|---|---|---|---|')


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split('\n\n')[1][7:])
    parser.add_argument('--quick', action='store_true')
    parser.add_argument('--only', default='')
    parser.add_argument('--out')
    args = parser.parse_args()
    rows = [r for r in TARGETS + ([] if args.quick and not args.only else SWEEP) if args.only in label(r)]
    wanted = sorted({FILES[r[0].split()[0]] for r in rows})
    with concurrent.futures.ThreadPoolExecutor() as pool:
        libs = dict(zip(wanted, pool.map(build, wanted)))
    timer = Timer(args.quick)
    text = [head(args.quick)]
    print(text[0], flush=True)
    count = 0
    for row in rows:
        seconds, bytes_ = measure(row, libs, timer)
        text.append(line(row, seconds, bytes_))
        count += missed(row[3], seconds, bytes_)
        print(text[-1], flush=True)
        torch.cuda.empty_cache()
        torch.compiler.reset()
    gpu = torch.cuda.get_device_name(0).lower().replace('nvidia', '').strip().replace(' ', '-')
    path = args.out or os.path.join(HERE, 'results', f'{time.strftime("%Y-%m-%d")}_{gpu}.md')
    if not args.only or args.out:
        with open(path, 'w') as file:
            file.write('\n'.join(text) + '\n')
        print(f'\nwritten to {os.path.relpath(path)}')
    print(f'{len(rows)} rows, {count} short of their goal')


if __name__ == '__main__':
    main()
