#!/usr/bin/env python3
"""gemm_gpu.py -- checks and times rows of gemm_rows.py in one process; gemm.py starts it, and again if it dies

usage: gemm_gpu.py JOB      JOB is a JSON object, see gemm.py

Says what it does in JSON objects, one a line behind '@': the machine, what it is at, notes, a row's result.

All contenders of a row run on the same normally distributed data. Each is captured in a graph of launches that go
round as many copies of the operands as L2 cannot hold, and the graphs are replayed in turns, in random order.
"""
import ctypes
import json
import math
import os
import random
import statistics
import sys
import time
import torch
import gemm_peers
import gemm_rows

OPERAND = {'bf16': torch.bfloat16, 'f16': torch.float16, 'f32': torch.float32, 'tf32': torch.float32,
           'f8': torch.float8_e4m3fn, 'f8 fast': torch.float8_e4m3fn, 'i8': torch.int8}
RESULT = {**OPERAND, 'f8': torch.bfloat16, 'f8 fast': torch.bfloat16, 'i8': torch.int32}
COLD = 150 << 20            # bytes that L2 does not hold
PLENTY = 400 << 20          # of copies of the operands
GRAPH = 3e-3                # seconds of launches in a graph, at least
SLOW = 30e-3                # a graph that takes longer is replayed a few times only


def say(**what):
    print('@' + json.dumps(what), flush=True)


# ---- operands ---------------------------------------------------------------------------------------


def shapes(row):
    """Of c, a and b."""
    a_turned, b_turned = gemm_rows.turned(row)
    flat = [(row.M, row.N), (row.K, row.M) if a_turned else (row.M, row.K),
            (row.N, row.K) if b_turned else (row.K, row.N)]
    return [(row.B, *s) for s in flat] if row.B > 1 else flat


def normal(shape, dtype):
    x = torch.randn(shape, device='cuda')
    return (x * 32).round().clamp(-127, 127).to(dtype) if dtype == torch.int8 else x.to(dtype)


def make_sets(row):
    """Copies of (c, a, b), and the bytes of one."""
    kinds = [RESULT[row.type], OPERAND[row.type], OPERAND[row.type]]
    size = sum(math.prod(s) * t.itemsize for s, t in zip(shapes(row), kinds))
    count = min(64, -(-PLENTY // size))
    c, a, b = shapes(row)
    rounded = to_tf32 if row.type == 'tf32' else lambda t: t             # what the product would see of them
    return [(torch.zeros(c, device='cuda', dtype=kinds[0]), rounded(normal(a, kinds[1])), rounded(normal(b, kinds[2])))
            for _ in range(count)], size


# ---- what is right ------------------------------------------------------------------------------------


def wide(t):
    return t.float().double() if t.is_floating_point() else t.double()


def to_tf32(t):
    """Rounded to 10 bits, the nearest, of two the even one."""
    bits = t.view(torch.int32)
    return ((bits + 0xFFF + ((bits >> 13) & 1)) & ~0x1FFF).view(torch.float32)


UNIT = {torch.bfloat16: 2.0 ** -8, torch.float16: 2.0 ** -11, torch.float32: 2.0 ** -24, torch.int32: 0.0}


class Judge:
    """Holds results against float64 in some rows, and against the first that was right everywhere."""

    def __init__(self, row, a, b, bias):
        a_turned, b_turned = gemm_rows.turned(row)
        a, b = a.mT if a_turned else a, b.mT if b_turned else b
        picked = torch.randperm(row.M, device='cuda')[:128]
        self.rows = torch.cat([picked, torch.tensor([0, row.M - 1], device='cuda')]).unique()
        a = a.index_select(-2, self.rows) if row.type[:2] != 'f8' else a.float().index_select(-2, self.rows)
        if row.type == 'tf32':
            a, b = to_tf32(a), to_tf32(b.contiguous())
        a, b = wide(a), wide(b)
        self.exact = a @ b
        terms = a.abs() @ b.abs()
        if bias is not None:
            t = self.exact + wide(bias)
            terms = 1.2 * (terms + bias.double().abs())         # gelu is nowhere steeper
            self.exact = 0.5 * t * (1 + torch.tanh(math.sqrt(2 / math.pi) * (t + 0.044715 * t ** 3)))
        eps = {'f8': 2.0 ** -13, 'f8 fast': 2.0 ** -11, 'i8': 0.0}.get(row.type, 2.0 ** -23)
        self.unit = UNIT[RESULT[row.type]]
        self.allowed = (8 + 2 * math.sqrt(row.K)) * eps * terms + 1.01 * self.unit * self.exact.abs()
        self.other = None

    def far(self, got, want):
        """The largest difference beyond rounding, in the unit of a typical element."""
        beyond = (got - want).abs() - 8 * self.unit * want.abs()
        return float(beyond.max()) / (float(want.square().mean().sqrt()) + 1e-30)

    def check(self, c, strict):
        """Raises if c is wrong: by the bound of language.md if strict, otherwise grossly."""
        some = wide(c.index_select(-2, self.rows))
        if strict and not bool(((some - self.exact).abs() <= self.allowed).all()):
            wrong = ~((some - self.exact).abs() <= self.allowed)
            worst = float(((some - self.exact).abs() / (self.allowed + 1e-30)).max())
            raise RuntimeError(f'wrong: {float(wrong.float().mean()):.2%} of the elements of some rows, '
                               f'the worst {worst:.3g} times what is allowed')
        if not self.far(some, self.exact) < 0.02:
            raise RuntimeError(f'wrong, by {self.far(some, self.exact):.3g} of a typical element')
        if self.other is None:
            self.other = c.clone()
        elif not self.far(c.float(), self.other.float()) < 0.04:
            far = self.far(c.float(), self.other.float())
            raise RuntimeError(f'wrong somewhere, by {far:.3g} of a typical element')


# ---- ours -----------------------------------------------------------------------------------------------


def our_call(row, tile, bias):
    lib = ctypes.CDLL(gemm_rows.library_path(gemm_rows.library(row, tile), '.so'))
    lib.tile_last_error.restype = ctypes.c_char_p
    function = lib[gemm_rows.function(row)]
    extents = [ctypes.c_int64(n) for n in ((row.B,) if row.B > 1 else ()) + (row.M, row.N, row.K)]
    more = [] if bias is None else [ctypes.c_void_p(bias.data_ptr())]

    def call(c, a, b):
        tensors = [ctypes.c_void_p(t.data_ptr()) for t in (c, a, b)]
        status = function(*tensors, *more, *extents, ctypes.c_void_p(torch.cuda.current_stream().cuda_stream))
        if status:
            raise RuntimeError(f'status {status}: {lib.tile_last_error().decode()}')
    return call


def contenders(row, index, job, lt, bias):
    """{name: call}; the first word of a name is whose it is."""
    makers = {'torch': lambda: gemm_peers.torch_calls(row, bias),
              'lt': lambda: lt(row, bias),
              'triton': lambda: gemm_peers.triton_calls(row, bias)}
    calls = {}
    for peer, maker in makers.items():
        if peer in job['peers']:
            try:
                calls.update(maker())
            except Exception as error:
                note(index, peer, error)
    for tile in job['tiles'][gemm_rows.FILES[row.type]]:
        if os.path.exists(gemm_rows.library_path(gemm_rows.library(row, tile), '.so')):
            try:
                calls['ours ' + tile] = our_call(row, tile, bias)
            except Exception as error:
                note(index, 'ours ' + tile, error)
    return {name: call for name, call in calls.items() if [index, name] not in job['skip']}


def note(index, name, error):
    """Says what went wrong; ends the process if nothing can run after it."""
    say(row=index, note=f'{name}: {(str(error) or repr(error)).splitlines()[0]}')
    try:
        torch.cuda.synchronize()
    except Exception:
        sys.exit(3)


# ---- measuring ------------------------------------------------------------------------------------------


def captured(call, sets, size):
    """(graph, launches in it) of a call that has run before."""
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    for k in range(3):
        call(*sets[k % len(sets)])
    end.record()
    end.synchronize()
    once = begin.elapsed_time(end) / 3e3
    count = max(min(len(sets), -(-COLD // size)), min(400, math.ceil(GRAPH / once)))
    graph = torch.cuda.CUDAGraph()
    graph.capture_begin()
    try:
        for k in range(count):
            call(*sets[k % len(sets)])
    finally:
        graph.capture_end()
    graph.replay()
    torch.cuda.synchronize()
    return graph, count


def interleaved(graphs, rounds):
    """Seconds of one launch, by name: one number a round, or None where a slow one sat out."""
    seconds = {name: [] for name in graphs}
    order = list(graphs)
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    for k in range(rounds):
        random.shuffle(order)
        for name in order:
            graph, count = graphs[name]
            if k >= 3 and seconds[name][0] * count > SLOW:
                seconds[name].append(None)
                continue
            begin.record()
            graph.replay()
            end.record()
            end.synchronize()
            seconds[name].append(begin.elapsed_time(end) / 1e3 / count)
    return seconds


def middle(numbers):
    return statistics.median(n for n in numbers if n is not None)


def best_of(seconds, whose, count=1):
    """The names of the fastest of one contender."""
    names = [name for name in seconds if name.split()[0] == whose]
    return sorted(names, key=lambda name: middle(seconds[name]))[:count]


def measure(row, index, job, lt):
    """A row's result, to be said."""
    torch.manual_seed(1)
    sets, size = make_sets(row)
    bias = normal((row.N,), RESULT[row.type]) if row.form.startswith('gelu') else None
    judge = Judge(row, *sets[0][1:], bias)
    graphs = {}
    for name, call in contenders(row, index, job, lt, bias).items():
        say(row=index, at=name)
        try:
            c = sets[0][0]
            c.fill_(float('nan') if c.is_floating_point() else -1234567)
            call(*sets[0])
            torch.cuda.synchronize()
            if name[:6] != 'triton':                # of those the fastest is looked at below
                judge.check(c, name[:4] == 'ours')
            graphs[name] = captured(call, sets, size)
        except Exception as error:
            note(index, name, error)
    say(row=index, at='*')
    tried = interleaved(graphs, 3)
    default = 'ours ' + job['tiles'][gemm_rows.FILES[row.type]][0]
    final = {default, *best_of(tried, 'ours', 2), 'torch', 'lt 0', *best_of(tried, 'lt', 2), *best_of(tried, 'triton')}
    for name in best_of(tried, 'triton'):
        sets[0][0].zero_()
        graphs[name][0].replay()
        try:
            judge.check(sets[0][0], False)
        except RuntimeError as error:
            note(index, name, error)
    seconds = interleaved({name: graphs[name] for name in graphs if name in final}, job['rounds'])
    best = {whose: best_of(seconds, whose)[0] for whose in ('ours', 'torch', 'lt', 'triton') if best_of(seconds, whose)}
    ratio = {}
    if 'ours' in best:
        for whose, name in best.items():
            both = [theirs / ours for theirs, ours in zip(seconds[name], seconds[best['ours']])
                    if theirs is not None and ours is not None]
            ratio[whose] = statistics.median(both)
    return dict(row=index, best=best, ratio=ratio, default=default, tried={n: middle(s) for n, s in tried.items()},
                seconds={n: middle(s) for n, s in seconds.items()})


# ---- as a process ---------------------------------------------------------------------------------------


def compile_triton(job):
    """Every distinct kernel that the rows ask of Triton, or one share in so many, into its cache."""
    seen = set()
    for row in (gemm_rows.ROWS[index] for index in job['rows']):
        bias = torch.empty(16, device='cuda', dtype=RESULT[row.type]) if row.form.startswith('gelu') else None
        kinds = (RESULT[row.type], OPERAND[row.type], OPERAND[row.type])
        for config in gemm_peers.configurations(row):
            _, constants, numbers = gemm_peers.triton_launch(row, config, bias)
            key = (kinds, str(constants), tuple((n == 1, n % 16 == 0) for n in numbers))
            if key not in seen:
                seen.add(key)
                if len(seen) % job['shares'] == job['share']:
                    try:
                        gemm_peers.triton_compile(row, config, kinds, bias)
                    except Exception as error:
                        say(note=f'triton {config}: {error}')


def main():
    job = json.loads(sys.argv[1])
    if 'share' in job:
        return compile_triton(job)
    props = torch.cuda.get_device_properties(0)
    say(gpu=props.name, processors=props.multi_processor_count, torch=torch.__version__,
        triton=gemm_peers.triton.__version__)
    lt = None
    random.seed(1)
    with torch.cuda.stream(torch.cuda.Stream()):
        if 'lt' in job['peers']:
            try:
                library = gemm_peers.CublasLt()
                lt = library.calls
                say(cublas=library.version())
            except Exception as error:
                job['peers'].remove('lt')
                say(note=f'cublasLt: {error}')
        for index in job['rows']:
            if time.time() > job['until']:
                break
            say(row=index, at='operands')
            try:
                say(**measure(gemm_rows.ROWS[index], index, job, lt))
            except Exception as error:
                note(index, 'row', error)
            torch.cuda.empty_cache()


if __name__ == '__main__':
    main()
