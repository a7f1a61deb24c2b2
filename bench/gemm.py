#!/usr/bin/env python3
"""gemm.py -- times translated contractions beside torch, cublasLt's heuristics and Triton

usage: gemm.py [--only WORDS] [--peers LIST] [--tiles LIST] [--seconds N] [--rounds N] [--out FILE] [--all]
       gemm.py --build [--arch sm_90a]

Every row of gemm_rows.py: ours in each block tile, torch, eight algorithms that cublasLt's heuristics name, and some
configurations of Triton run in one process on the same normally distributed data; graphs of launches that go round
more copies of the operands than L2 holds are replayed in turns. Each result of ours is first held against float64 in
some rows, and everywhere against torch's. Times are medians, ratios the medians of those of each round. Writes
bench/results/DATE_gpu_gemm.md if no row is left out.

    --only WORDS     the rows whose text has these words, "bf16 nt", or of those behind a comma
    --peers LIST     of torch,lt,triton: these alone
    --tiles LIST     instead of those of gemm_rows.py for 16-bit types; the first is the default
    --seconds N      begins no row later than so many seconds from the start (default 240)
    --rounds N       how often each graph is replayed for the table (default 15)
    --out FILE       writes the table there
    --all            the times of all that was tried, too
    --build          compiles ours for all rows, on a machine without a GPU too, and stops

A kernel that stops the process, or hangs, is left out of its row, which begins again. Needs a GPU, nvcc, torch and
Triton; TILEC names the translator (default: build/tilec).
"""
import argparse
import concurrent.futures
import json
import math
import os
import select
import subprocess
import sys
import time
from gemm_rows import BUILD, FILES, HERE, ROOT, ROWS, TILES, extents, label, library, library_path

QUIET = 40                  # seconds after which a process that says nothing has hung
WARMERS = 4                 # processes that fill Triton's cache while nvcc runs


# ---- ours ---------------------------------------------------------------------------------------


def build(lib, arch):
    """Translates and compiles a library, unless it is there; what went wrong, if something did."""
    file, type_, tile = lib
    cu, so = library_path(lib, '.cu'), library_path(lib, '.so')
    statics = [] if tile == 'chosen' else [f'{name}={value}' for name, value in zip(('BM', 'BN', 'BK'), tile.split('x'))]
    statics += [f'T={type_}'] if type_ else []
    tilec = os.environ.get('TILEC', os.path.join(ROOT, 'build', 'tilec'))
    define = [word for static in statics for word in ('-D', static)]
    old = open(cu).read() if os.path.exists(cu) and os.path.exists(so) else None
    for command in ([tilec, os.path.join(HERE, 'kernels', file + '.tile'), *define, '-o', cu],
                    ['nvcc', f'-arch={arch}', '-O3', '-shared', '-Xcompiler', '-fPIC', '-o', so, cu]):
        if command[0] == 'nvcc':
            if old == open(cu).read() and stamp(so) == arch:
                return None
            remove(so)
        try:
            ran = subprocess.run(command, capture_output=True, text=True, timeout=300)
        except (OSError, subprocess.TimeoutExpired) as error:
            remove(so)
            return f'{lib}: {error}'
        if ran.returncode:
            remove(so)
            return f'{lib}: {(ran.stderr or ran.stdout).strip()[:400]}'
    with open(so + '.arch', 'w') as file:
        file.write(arch)
    return None


def stamp(so):
    """What a library was compiled for."""
    return open(so + '.arch').read() if os.path.exists(so + '.arch') else None


def remove(path):
    if os.path.exists(path):
        os.remove(path)


def build_all(rows, tiles, arch):
    """What went wrong, a line for each library that is missing."""
    os.makedirs(BUILD, exist_ok=True)
    wanted = sorted({library(ROWS[i], tile) for i in rows for tile in tiles[FILES[ROWS[i].type]]})
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return [bad for bad in pool.map(lambda lib: build(lib, arch), wanted) if bad]


# ---- the process on the GPU -------------------------------------------------------------------------


def worker(job, **how):
    command = [sys.executable, os.path.join(HERE, 'gemm_gpu.py'), json.dumps(job)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, **how)


def spoken(process, quiet):
    """The objects that a process says, until it ends or hangs; then it is killed."""
    rest = b''
    while True:
        if not select.select([process.stdout], [], [], quiet)[0]:
            process.kill()
            break
        data = os.read(process.stdout.fileno(), 65536)
        if not data:
            break
        *lines, rest = (rest + data).split(b'\n')
        for line in lines:
            if line.startswith(b'@'):
                yield json.loads(line[1:])
            else:
                print(line.decode(errors='replace'), file=sys.stderr)
    try:
        process.wait(30)
    except subprocess.TimeoutExpired:                         # the driver keeps it; the next one may still run
        pass


def measured(job):
    """What the processes say, over all rows; one that dies is started again without what it was at."""
    rows, deaths = list(job['rows']), 0
    while rows and time.time() < job['until']:
        process, at = worker({**job, 'rows': rows}), None
        for what in spoken(process, QUIET if deaths else 3 * QUIET):
            if 'at' in what:
                at = what['row'], what['at']
            elif 'seconds' in what:
                rows.remove(what['row'])
                at = None
                yield what
            else:
                yield what
            if 'note' in what and what['note'].startswith('row: '):
                rows.remove(what['row'])
                at = None
        if process.returncode == 0:
            return
        deaths += 1
        name = at[1] if at else 'start'
        yield {'row': at[0] if at else None, 'note': f'{name}: the process died or hung ({process.returncode})'}
        if deaths > 20 or not at:
            return
        if name in ('*', 'operands'):
            rows.remove(at[0])
        job['skip'].append(at)
        if [n for _, n in job['skip']].count(name) > 1:         # no row is likely to survive it
            job['skip'] += [(row, name) for row in rows if FILES[ROWS[row].type] == FILES[ROWS[at[0]].type]]


# ---- the table ----------------------------------------------------------------------------------------


def tflops(row, seconds):
    return f'{2 * row.B * row.M * row.N * row.K / seconds / 1e12:.0f}' if seconds else ''


def line(what):
    row, best, seconds, ratio = ROWS[what['row']], what['best'], what['seconds'], what['ratio']
    of = lambda whose: tflops(row, seconds.get(best.get(whose)))
    times = lambda whose: f'{ratio[whose]:.3f}' if whose in ratio else ''
    short = row.goal is not None and ratio.get('lt', math.inf) < row.goal
    goal = ('' if row.goal is None else str(row.goal)) + (' **missed**' if short else '')
    return (f'| {row.type} | {row.form} | {extents(row)} | {of("ours")} | '
            f'{best.get("ours", "ours ")[5:]} | {tflops(row, seconds.get(what["default"]))} | {of("torch")} | '
            f'{tflops(row, seconds.get("lt 0"))} | {of("lt")} | {of("triton")} | '
            f'{times("torch")} | {times("lt")} | {times("triton")} | {goal} |')


TABLE = ('| type | form | M x N x K | ours | tile | default tile | torch | cublasLt first | cublasLt best | Triton | '
         'torch / ours | cublasLt best / ours | Triton / ours | goal |\n|' + '---|' * 14)


def head(machine):
    query = ['nvidia-smi', '--query-gpu=driver_version,clocks.max.sm', '--format=csv,noheader', '-i', '0']
    driver = subprocess.run(query, capture_output=True, text=True).stdout.strip()
    nvcc = subprocess.run(['nvcc', '--version'], capture_output=True, text=True).stdout.strip().split('\n')[-2]
    return (f'# Contractions, {machine["gpu"]}, {time.strftime("%Y-%m-%d")}\n\n'
            f'{machine["processors"]} multiprocessors; driver and clock {driver}; {nvcc}; torch {machine["torch"]}; '
            f'Triton {machine["triton"]}; cublasLt {machine.get("cublas", "none")}.\n\n'
            'TFLOP/s, medians of interleaved replays on the same normally distributed data, in one process; operands\n'
            'go round more memory than L2 holds (`make bench-gemm`). Ours is the fastest of its block tiles, and the\n'
            'default one. The ratios are the time of the others over ours, medians over rounds; the goal is for that\n'
            f'of the fastest of cublasLt\'s eight algorithms.\n\n{TABLE}')


def summary(results):
    """Geometric mean and least of the ratio to cublasLt's best, by kinds of rows."""
    kinds = {'bf16 and f16': ('bf16', 'f16'), 'f8': ('f8', 'f8 fast'), 'tf32': ('tf32',), 'f32': ('f32',)}
    text = []
    for kind, types in kinds.items():
        ratios = [(w['ratio']['lt'], label(ROWS[w['row']])) for w in results
                  if ROWS[w['row']].type in types and 'lt' in w['ratio']]
        if ratios:
            mean = math.exp(sum(math.log(r) for r, _ in ratios) / len(ratios))
            text.append(f'{kind}: {mean:.3f} of cublasLt\'s best in the geometric mean of {len(ratios)} rows, '
                        f'the least {min(ratios)[0]:.3f} ({min(ratios)[1]})')
    return text


def tiles_table(results, tiles):
    """Ours by block tile, as it was tried first."""
    text = []
    for file, names in tiles.items():
        some = [w for w in results if FILES[ROWS[w['row']].type] == file]
        if some:
            text += ['', f'## Tiles of {file}.tile, TFLOP/s', '', f'| row | {" | ".join(names)} |',
                     '|' + '---|' * (len(names) + 1)]
            for w in some:
                cells = [tflops(ROWS[w['row']], w['tried'].get('ours ' + name)) for name in names]
                text.append(f'| {label(ROWS[w["row"]])} | {" | ".join(cells)} |')
    return text


def everything(what):
    """All that was tried in a row, the fastest first."""
    row = ROWS[what['row']]
    return [f'    {name:30} {s * 1e6:10.2f} us  {tflops(row, s):>5} TFLOP/s'
            for name, s in sorted(what['tried'].items(), key=lambda pair: pair[1])]


# ---- the command ----------------------------------------------------------------------------------------


def arguments():
    parser = argparse.ArgumentParser(usage=__doc__.split('\n\n')[1][7:])
    parser.format_help = lambda: __doc__
    parser.add_argument('--only', default='')
    parser.add_argument('--peers', default='torch,lt,triton')
    parser.add_argument('--tiles')
    parser.add_argument('--seconds', type=float, default=240)
    parser.add_argument('--rounds', type=int, default=15)
    parser.add_argument('--out')
    parser.add_argument('--all', action='store_true')
    parser.add_argument('--build', action='store_true')
    parser.add_argument('--arch')
    return parser.parse_args()


def compute_capability():
    """The -arch of this machine's first GPU."""
    query = ['nvidia-smi', '--query-gpu=compute_cap', '--format=csv,noheader', '-i', '0']
    try:
        major, minor = subprocess.run(query, capture_output=True, text=True, check=True).stdout.strip().split('.')
    except (OSError, ValueError, subprocess.CalledProcessError):
        raise SystemExit('gemm.py: no GPU that nvidia-smi knows; --build needs none, with --arch')
    return f'sm_{major}{minor}' + ('a' if major in ('9', '10', '12') else '')


def prepare(rows, tiles, args):
    """Builds ours, while processes of their own fill Triton's cache; what went wrong."""
    arch = args.arch or compute_capability()
    shares = [] if args.build or 'triton' not in args.peers else range(WARMERS)
    warmers = [worker({'rows': rows, 'share': k, 'shares': WARMERS}, stderr=subprocess.DEVNULL) for k in shares]
    notes = build_all(rows, tiles, arch)
    for warmer in warmers:
        for _ in spoken(warmer, 2 * QUIET):
            pass
    return notes


def main():
    args, began = arguments(), time.time()
    wanted = [set(words.split()) for words in args.only.split(',')]
    rows = [i for i, row in enumerate(ROWS) if any(words <= set(label(row).split()) for words in wanted)]
    tiles = {**TILES, **({'gemm': args.tiles.split(',')} if args.tiles else {})}
    notes = prepare(rows, tiles, args)
    print('\n'.join(notes + [f'built in {time.time() - began:.0f} s']), file=sys.stderr, flush=True)
    if args.build:
        return 1 if notes else 0
    job = dict(rows=rows, peers=args.peers.split(','), tiles=tiles, skip=[], until=began + args.seconds,
               rounds=args.rounds)
    machine, text, results = {}, [], []
    for what in measured(job):
        machine.update({k: v for k, v in what.items() if k in ('gpu', 'processors', 'torch', 'triton', 'cublas')})
        if 'note' in what:
            where = f'{label(ROWS[what["row"]])}: ' if what.get('row') is not None else ''
            notes.append(where + what['note'])
            print(notes[-1], file=sys.stderr, flush=True)
        if 'seconds' in what:
            if not results:
                text.append(head(machine))
                print(text[0], flush=True)
            results.append(what)
            text.append(line(what))
            print('\n'.join(text[-1:] + (everything(what) if args.all else [])), flush=True)
    missing = [label(ROWS[i]) for i in rows if i not in {w['row'] for w in results}]
    notes += [f'not measured: {", ".join(missing)}'] if missing else []
    end = ['', *summary(results), *tiles_table(results, tiles)]
    end += ['', '## Notes', ''] + [f'- {note}' for note in dict.fromkeys(notes)] if notes else []
    print('\n'.join(end))
    print(f'{len(results)} rows of {len(rows)}, {time.time() - began:.0f} s')
    if results and (args.out or len(rows) == len(ROWS)):
        gpu = machine['gpu'].lower().replace('nvidia', '').strip().replace(' ', '-')
        path = args.out or os.path.join(HERE, 'results', f'{time.strftime("%Y-%m-%d")}_{gpu}_gemm.md')
        with open(path, 'w') as file:
            file.write('\n'.join(text + end) + '\n')
        print(f'written to {os.path.relpath(path)}')
    return 0 if results else 1


if __name__ == '__main__':
    sys.exit(main())
