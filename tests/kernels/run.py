#!/usr/bin/env python3
"""run.py -- the conformance suite: every kernel of this folder against its reference

usage: run.py [--gpu | --unchecked] [--few] [--times] [--jobs N] [NAME ...]

For each file one translation and one build, then many cases through the C launch functions:
extents around every tile and capacity, aligned and not, contiguous and strided, optional arguments
there and not, refusals. Memory around every tensor is guarded, outputs start as a sentinel. A
sample of the cases runs through the reference interpreter too.

    (default)     g++ and the emulator, threads in several orders, with every memory access checked:
                  bounds, races, uninitialised reads
    --unchecked   the same without the checks
    --gpu         nvcc and a GPU
    --few         two sizes a kernel: for compute-sanitizer, which is slow

TILEC names the translator (default: build/tilec); SANITIZER is put before each file's process. The last line is `N passed, N failed, N skipped`.
"""
import argparse
import concurrent.futures
import os
import shlex
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))


def names(wanted):
    """The files of the suite, or those that a pattern names."""
    import cases                                              # noqa: F401  (fills CASES)
    from table import CASES
    seen = dict.fromkeys(c.file for c in CASES)
    return [n for n in seen if not wanted or any(w in n for w in wanted)]


def run_file(name, options):
    """One file in a process of its own: a crash is a failure of that file alone."""
    command = shlex.split(os.environ.get('SANITIZER', ''))
    command += [sys.executable, os.path.join(HERE, 'one.py'), name] + options
    began = time.time()
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    lines = done.stdout.rstrip().split('\n')
    counted = [line for line in lines if line.startswith('counts ')]
    lines = [line for line in lines if line not in counted]
    counts = [int(n) for n in counted[-1].split()[1:]] if counted else [0, 0, 0]
    if done.returncode or not counted:
        counts[1] += 1
        lines.append(f'{name}: died with status {done.returncode}')
    return counts, [line for line in lines if line], time.time() - began


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split('\n\n')[1][7:])
    parser.add_argument('--gpu', action='store_true')
    parser.add_argument('--unchecked', action='store_true')
    parser.add_argument('--few', action='store_true')
    parser.add_argument('--times', action='store_true')
    parser.add_argument('--jobs', type=int, default=os.cpu_count() or 2)
    parser.add_argument('names', nargs='*')
    args = parser.parse_args()

    tilec = os.environ.get('TILEC', os.path.join(ROOT, 'build', 'tilec'))
    todo = names(args.names)
    if not os.access(tilec, os.X_OK):
        print(f'kernels: {tilec} is not built\n0 passed, 0 failed, {len(todo)} skipped')
        return 0
    options = [o for o in ('--gpu', '--unchecked', '--few') if getattr(args, o[2:])]
    sums = [0, 0, 0]
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for name, (counts, lines, seconds) in zip(todo, pool.map(lambda n: run_file(n, options), todo)):
            sums = [a + b for a, b in zip(sums, counts)]
            for line in lines:
                print(line)
            if args.times:
                print(f'{name}: {counts[0]} passed in {seconds:.1f} s')
            sys.stdout.flush()
    print('%d passed, %d failed, %d skipped' % tuple(sums))
    return 1 if sums[1] else 0


if __name__ == '__main__':
    sys.exit(main())
