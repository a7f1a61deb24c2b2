#!/usr/bin/env python3
"""run.py -- leaves out every barrier of a translated file in turn, and demands that it is noticed

usage: run.py [--all] [NAME ...]

The cases are those of tests/kernels, and so are the builds. The emulator goes past the barriers of one
line; then it must report a race or another error, or the result must be wrong. A barrier without which
nothing goes wrong is not needed, and tilec must not write it. The last line is `N passed, N failed, N
skipped`; --all prints for each file how its barriers were missed.
"""
import argparse
import collections
import concurrent.futures
import os
import re
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
KERNELS = os.path.join(os.path.dirname(HERE), 'kernels')
sys.path.insert(0, KERNELS)

# Files of tests/kernels, beside all of examples/
FILES = ['08_matmul', '14_attention', '24_argmax', '41_inplace', '62_mma_control', '64_mma_tensor']
TRIES = 30                    # cases in which a barrier is left out before it counts as not needed
SMALL = 1 << 17               # bytes of a case that is tried before all larger ones

BARRIER = re.compile(r'\b__sync(threads|warp)\w*\(')


def barriers(cu):
    """The lines of a .cu that have a barrier: number -> text."""
    with open(cu) as text:
        return {n: line.strip() for n, line in enumerate(text, 1) if BARRIER.search(line.partition('//')[0])}


# ---- one file -----------------------------------------------------------------------------------


def setups(run, name):
    """The cases of a file that give something, some first that are neither large nor without input; in every layout."""
    import one
    from table import CASES
    import build
    edges = build.capacities(run.cu)
    for how in 'plain', 'shifted', 'apart', 'odd':
        for case in (c for c in CASES if c.file == name and not c.table):
            sizes = case.sizes(edges) if callable(case.sizes) else case.sizes
            for t in case.types:
                if run.symbol(case, t, how in ('apart', 'odd')) is None:
                    continue
                none = (1 << sum(a.opt for a in case.args)) - 1         # without any optional argument
                made = [one.Setup(case, t, size, how, number) for size in sizes for number in {0, none}]
                made = [s for s in made if all(x.span for x in s.tensors.values() if x.arg.out)]
                hollow = [s for s in made if not all(x.span for x in s.tensors.values())]     # loops of no round
                small = [s for s in made if s not in hollow and s.arena.host.size <= SMALL]
                # the largest first, those with and without optional arguments in turn
                rank = {bool(side): sorted((s for s in small if bool(s.absent) == side), key=lambda s: -s.arena.host.size)
                        for side in (True, False)}
                small = sorted(small, key=lambda s: rank[bool(s.absent)].index(s))
                large = [s for s in made if s not in hollow and s not in small]
                yield small[:3] + hollow + small[3:] + large


def kind_of(trouble):
    """Which check noticed it."""
    words = {'race:': 'race', 'nobody wrote': 'not written', 'outside of': 'bounds', 'waits for': 'deadlock',
             'tile_emulator': 'other'}
    return next((kind for word, kind in words.items() if word in trouble), 'wrong result')


class Hunt:
    """The barriers of one file that nobody has missed yet."""

    def __init__(self, run, lines):
        self.run, self.left = run, dict.fromkeys(lines, 0)    # line -> cases without it
        self.met, self.caught = set(), {}

    def launch(self, setup):
        """The barriers to which a case comes."""
        run = self.run
        symbol = run.symbol(setup.case, setup.t, setup.how in ('apart', 'odd'))
        import one
        run.turn_target()
        run.device.begin(setup.arena)
        run.lib[symbol](*one.arguments(run.protos[symbol], setup))
        met = {line for line in self.left if run.lib.tile_emu_barrier_met(line)}
        run.device.end(setup.arena)
        return met

    def try_case(self, setup):
        """Leaves out each barrier that the case meets; true if there was one."""
        import one
        start = setup.arena.host.copy()
        met = self.launch(setup)
        self.met |= met
        if met:
            setup.arena.host[:] = start
            trouble = one.run_case(self.run, setup)
            if trouble:
                raise RuntimeError(f'with all barriers: {setup.what}: {trouble}')
        for line in met:
            setup.arena.host[:] = start
            self.run.lib.tile_emu_skip_barrier(line)
            trouble = one.run_case(self.run, setup)
            self.run.lib.tile_emu_skip_barrier(0)
            self.left[line] += 1
            if trouble:
                self.caught[line] = kind_of(trouble)
            if trouble or self.left[line] == TRIES:
                del self.left[line]
        return bool(met)


def hunt_file(name):
    """Prints what of one file was not noticed, and `counts PASSED FAILED text`."""
    import ctypes
    import build
    import one
    from memory import Cpu
    cu, header, so = build.build(name, False, True)
    lines = barriers(cu)
    if not lines:
        return print('counts 0 0 no barrier')
    lib = ctypes.CDLL(so)
    run = one.Run(lib, build.functions(header), Cpu(lib), [])
    run.cu = cu
    hunt = Hunt(run, lines)
    for run.target in ('sm_90a', 'sm_80') if 'TILE_SM90A' in open(cu).read() else ('sm_80',):
        groups = collections.deque(setups(run, name))
        while hunt.left and groups:                           # one case of each kernel in turn
            group = groups.popleft()
            while group and not hunt.try_case(group.pop(0)) and len(group) % 4:
                pass
            if group:
                groups.append(group)
    for line, text in lines.items():
        if line not in hunt.caught:
            print(f'{os.path.relpath(cu)}:{line}: {"not needed" if line in hunt.met else "never met"}: {text}')
    kinds = collections.Counter(hunt.caught.values())
    text = ', '.join(f'{n} {kind}' for kind, n in kinds.most_common())
    print(f'counts {len(hunt.caught)} {len(lines) - len(hunt.caught)} {text}')


# ---- all ----------------------------------------------------------------------------------------


def run_file(name):
    """One file in a process of its own: passed, failed, lines, how, seconds."""
    began = time.time()
    done = subprocess.run([sys.executable, __file__, '--one', name], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    lines = done.stdout.rstrip().split('\n')
    counted = re.fullmatch(r'counts (\d+) (\d+) (.*)', lines[-1])
    if done.returncode or not counted:
        return 0, 1, lines + [f'{name}: died with status {done.returncode}'], '', time.time() - began
    return int(counted[1]), int(counted[2]), lines[:-1], counted[3], time.time() - began


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split('\n\n')[1][7:])
    parser.add_argument('--all', action='store_true')
    parser.add_argument('--one')
    parser.add_argument('names', nargs='*')
    args = parser.parse_args()
    import cases                                              # noqa: F401  (fills CASES)
    from table import CASES
    if args.one:
        return hunt_file(args.one)
    files = list(dict.fromkeys(c.file for c in CASES))
    files = [f for f in files if any(n in f for n in args.names or ['examples/'] + FILES)]
    sums = [0, 0]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        for name, (passed, failed, lines, how, seconds) in zip(files, pool.map(run_file, files)):
            sums = [sums[0] + passed, sums[1] + failed]
            for line in lines:
                print(line)
            if args.all:
                print(f'{name}: {passed + failed} barriers; {how}; {seconds:.1f} s')
            sys.stdout.flush()
    print(f'{sums[0]} passed, {sums[1]} failed, 0 skipped')
    return 1 if sums[1] else 0


if __name__ == '__main__':
    sys.exit(main())
