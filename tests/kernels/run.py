#!/usr/bin/env python3
"""run.py -- the conformance suite: every kernel of this folder against its reference

usage: run.py [--gpu | --unchecked | --reference] [--few] [--under TOOLS] [--times] [--jobs N] [NAME ...]

For each file one translation and one build, then many cases through the C launch functions:
extents around every tile and capacity, aligned and not, contiguous and strided, optional arguments
there and not, refusals. Memory around every tensor is guarded, outputs start as a sentinel. A
sample of the cases runs through the reference interpreter too.

    (default)     g++ and the emulator, threads in several orders, with every memory access checked:
                  bounds, races, uninitialised reads
    --unchecked   the same without the checks
    --reference   no build: the translation, and the sample that runs through the interpreter
    --gpu         nvcc and a GPU
    --few         two sizes a kernel, of each its first and its last type: for compute-sanitizer, which is slow
    --under TOOLS each of compute-sanitizer's tools, as in --under "memcheck racecheck", at the same time

Where a kernel has a body for sm_90a, the emulator takes it in every other case, and another in between. ARCH is what
nvcc is told (default: native). TILEC names the translator (default: build/tilec); SANITIZER names compute-sanitizer; OPTIMIZE is what g++ is given
(default: -O1). Of --under, each tool is one test. The last line is `N passed, N failed, N skipped`.
"""
import argparse
import concurrent.futures
import os
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
OUT = os.path.join(ROOT, 'build', 'tests', 'kernels')


def names(wanted):
    """The files of the suite, or those that a pattern names."""
    import cases                                              # noqa: F401  (fills CASES)
    from table import CASES
    seen = dict.fromkeys(c.file for c in CASES)
    return [n for n in seen if not wanted or any(w in n for w in wanted)]


def run_file(name, options, tool):
    """One file in a process of its own, under a tool if one is named: a crash is a failure of that file alone."""
    command = [sys.executable, os.path.join(HERE, 'one.py'), name] + options
    if tool:
        command = [os.environ.get('SANITIZER', 'compute-sanitizer'), '--tool', tool, '--error-exitcode', '9', '--quiet'] + command
    began = time.time()
    one_thread = dict(os.environ, OPENBLAS_NUM_THREADS='1', OMP_NUM_THREADS='1')     # there are as many files
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=one_thread)
    lines = done.stdout.rstrip().split('\n')
    counted = [line for line in lines if line.startswith('counts ')]
    lines = [line for line in lines if line not in counted]
    counts = [int(n) for n in counted[-1].split()[1:]] if counted else [0, 0, 0]
    if done.returncode or not counted:
        counts[1] += 1
        lines.append(f'{name}: died with status {done.returncode}')
    return counts, [line for line in lines if line], time.time() - began


def work_of(name):
    """How much there is to do, roughly: the bytes of what the file was translated to, the last time."""
    try:
        return os.path.getsize(os.path.join(OUT, name.replace('/', '_') + '.cu'))
    except OSError:
        return 1 << 20


def run_files(todo, options, tool_names, args):
    """Every file under every tool, the longest first; prints what is wrong in the order of the files. Sums for each tool."""
    sums = {tool: [0, 0, 0] for tool in tool_names}
    most = args.jobs if tool_names == [None] else min(args.jobs, 8)           # a tool takes gigabytes of the GPU
    with concurrent.futures.ThreadPoolExecutor(most) as pool:
        begun = {(tool, name): pool.submit(run_file, name, options, tool)
                 for name in sorted(todo, key=work_of, reverse=True) for tool in tool_names}
        for tool in tool_names:
            for name in todo:
                counts, lines, seconds = begun[tool, name].result()
                sums[tool] = [a + b for a, b in zip(sums[tool], counts)]
                for line in lines:
                    print(line)
                if args.times:
                    print(f'{name}{", " + tool if tool else ""}: {counts[0]} passed in {seconds:.1f} s')
                sys.stdout.flush()
    return sums


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split('\n\n')[1][7:])
    parser.add_argument('--gpu', action='store_true')
    parser.add_argument('--unchecked', action='store_true')
    parser.add_argument('--reference', action='store_true')
    parser.add_argument('--few', action='store_true')
    parser.add_argument('--under', default='')
    parser.add_argument('--times', action='store_true')
    parser.add_argument('--jobs', type=int, default=os.cpu_count() or 2)
    parser.add_argument('names', nargs='*')
    args = parser.parse_args()

    tilec = os.environ.get('TILEC', os.path.join(ROOT, 'build', 'tilec'))
    todo = names(args.names)
    if not os.access(tilec, os.X_OK):
        print(f'kernels: {tilec} is not built\n0 passed, 0 failed, {len(todo)} skipped')
        return 0
    options = [o for o in ('--gpu', '--unchecked', '--reference', '--few') if getattr(args, o[2:])]
    sums = run_files(todo, options, args.under.split() or [None], args)
    if args.under:
        for tool, (_, failed, _) in sums.items():
            print(f'kernels: {tool} {"complains" if failed else "is silent"}')
        wrong = sum(1 for counts in sums.values() if counts[1])
        total = [len(sums) - wrong, wrong, 0]
    else:
        total = sums[None]
    print('%d passed, %d failed, %d skipped' % tuple(total))
    return 1 if total[1] else 0


if __name__ == '__main__':
    sys.exit(main())
