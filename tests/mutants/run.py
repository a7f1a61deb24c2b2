#!/usr/bin/env python3
"""run.py -- small wrong changes of the passes, the emitter and the templates: a test fails for each

usage: run.py [--seed S] [--count N] [--only K,..] [--list] [--jobs N] [--files PATTERN] [--kernels N]

A change is drawn by the seed (mutate.py has the kinds), made in a copy of the project, and tilec is
built from it. What that tilec makes of every .tile of the project says which tests can notice: only
those are run, the fast ones first, up to the first that fails. `text` is the comparison with the
committed examples/*.cu and counts only if nothing else notices. A change that no test notices is
a survivor: a test is missing, or the change is right too; then it belongs into equivalent.txt, with
the reason. The table goes to build/mutants/SEED.txt as well; exit status 1 if there are survivors.
"""
import argparse
import concurrent.futures
import fnmatch
import os
import queue
import random
import shutil
import sys
import threading
import time

import mutate
import tree
from tree import ROOT, pipeline, run

HERE = os.path.dirname(os.path.abspath(__file__))
LIMIT = 900                                     # seconds for a group: it hangs
# What the tests of single files compile themselves.
UNIT = 'sym formula arena name philox helpers'.split()
LAUNCH = ('words abi csym wrap contract launch header file template arena name source diag excerpt sym formula '
          'elem ops ir access reduce helpers host').split()
PYTHON = next(p for p in ('python3', '/usr/bin/python3') if shutil.which(p) and
              run([p, '-c', 'import numpy'], 60)[0] == 0)


def files(pattern):
    """(name, text, whether it emits) of the passes from the parser on, and of the templates."""
    names = pipeline()
    passes = names[names.index('token'):names.index('file') + 1]
    emits = passes[passes.index('place'):]
    left = ('interp', 'verify', 'dump', 'padding_dump', 'philox', 'codes', 'explain', 'opslist')
    passes = [n for n in passes if not n.startswith(left)]
    chosen = [(f'translator/{n}.c', n in emits) for n in passes]
    chosen += [(f'templates/{n}', True) for n in sorted(os.listdir(os.path.join(ROOT, 'templates')))]
    for name, emitter in chosen:
        if fnmatch.fnmatch(name, pattern):
            with open(os.path.join(ROOT, name)) as f:
                yield name, f.read(), emitter


def equivalents():
    """{key: reason} of equivalent.txt: FILE, a line `- before`, a line `+ after`, the reason."""
    found = {}
    with open(os.path.join(HERE, 'equivalent.txt')) as f:
        for block in f.read().split('\n\n'):
            lines = [line for line in block.strip().split('\n') if line and not line.startswith('#')]
            if len(lines) >= 4:
                found[lines[0], lines[1][2:], lines[2][2:]] = ' '.join(lines[3:])
    return found


class Judge:
    """Says which group of tests notices the change that a tree has."""

    def __init__(self, right, suite, most):
        self.right, self.suite = right, suite          # the right tilec's trace; {.tile: its name in kernels}
        self.most = most                               # kernels to run, if the examples' text is another

    def judge(self, t, kind):
        """(who noticed, a detail)."""
        trace, self.kind = t.trace(), kind
        self.said = {f for f in trace if trace[f][1] != self.right[f][1]}
        self.wrote = {f for f in trace if trace[f][2] != self.right[f][2]}
        for f, (how, _, _) in trace.items():
            if how != 'ok':
                return self.owner(f), f'{how}: {f}'
        self.env = dict(os.environ, TILEC=os.path.join(t.build, 'tilec'), OPTIMIZE='-O0')
        self.stem = os.path.splitext(os.path.basename(t.file))[0]
        for group, command in self.plan(t):
            status, out = run(command, LIMIT, cwd=t.path, env=self.env)
            if status != 0:
                lines = out.decode(errors='replace').strip().split('\n')
                return group, 'hang' if status is None else lines[0][:150]
        if self.texts():
            return 'text', f'{self.texts()[0]}; {len(self.kernels(self.wrote))} kernels come out differently'
        return None, f'{len(self.wrote)} texts and {len(self.said)} dumps are others'

    def run_kernels(self, *options):
        for number, name in enumerate(self.kernels(self.wrote)):
            if number < self.most or not self.texts():
                yield 'kernels', [PYTHON, 'tests/kernels/run.py', '--jobs', '1', *options, name]

    def texts(self):
        return [f for f in sorted(self.wrote) if f.startswith('examples/')]

    def owner(self, file):
        return 'kernels' if file in self.suite else file.split('/')[1] if file.startswith('tests/') else 'examples'

    def changed(self, folder, among):
        return [os.path.basename(f) for f in sorted(among) if os.path.dirname(f) == folder]

    def before(self, name):
        """Does the file stand before this one in the pipeline?"""
        names = pipeline()
        return self.stem in names and names.index(self.stem) < names.index(name)

    def plan(self, t):
        """(group, command) of all that may notice, the fast ones first."""
        sh = lambda group, *more: (group, ['bash', f'tests/{group}/run.sh', *more])
        for group in ('errors', 'padding', 'simplify'):
            some = self.changed(f'tests/{group}', self.said)
            if some:
                yield sh(group, *some)
        if self.stem in UNIT:
            yield sh('unit')
        if self.before('bounds') or not self.said | self.wrote:
            yield sh('frontend')
        if self.before('simplify'):
            yield sh('rules')
        yield from self.run_kernels('--few', *(['--unchecked'] if self.kind != 'barrier' else []))
        if self.texts() and len(self.kernels(self.wrote)) > self.most:
            return
        for name in self.kernels(self.said - self.wrote):
            yield 'kernels', [PYTHON, 'tests/kernels/run.py', '--jobs', '1', '--reference', name]
        yield from self.run_kernels()
        if self.changed('tests/interp', self.said):
            yield sh('interp')
        if self.stem in LAUNCH or self.changed('tests/launch', self.wrote) or 'examples/01_add.tile' in self.wrote:
            yield sh('launch')
        if self.stem == 'ptx':
            yield sh('emulator')
        if self.changed('tests/debug', self.wrote):
            yield sh('debug')
        if t.apply_sanitized():
            yield sh('sanitize')
        some = [f for f in sorted(self.wrote) if f.startswith(('bench/', 'tests/kernels/0', 'tests/kernels/1',
                                                               'tests/kernels/2'))]
        some += [f[:-5] + '.cu' for f in self.texts()]
        if some and shutil.which('nvcc'):
            yield 'nvcc', ['sh', '-c', 'TILEC=$TILEC scripts/examples.sh; exec tests/nvcc/run.sh "$@"', 'sh', *some]

    def kernels(self, among):
        """The names in the suite of these files, the shortest output first."""
        some = sorted((f for f in among if f in self.suite), key=lambda f: sum(map(len, self.right[f][2])))
        return [self.suite[f] for f in some]


def suite():
    """{.tile: name} of the files that the kernel suite has cases for."""
    code = "import cases; from table import CASES; print(*dict.fromkeys(c.file for c in CASES))"
    _, out = run([PYTHON, '-c', code], 60, cwd=os.path.join(ROOT, 'tests', 'kernels'))
    return {(n if '/' in n else f'tests/kernels/{n}') + '.tile': n for n in out.decode().split()}


def drawn(args):
    """(number, mutation) of the draw, up to the count; those that do not compile leave their place."""
    draw = mutate.draw(random.Random(args.seed), files(args.files))
    return enumerate(draw, 1)


def show(row):
    number, m, verdict, detail, seconds = row
    file, before, after = m.key()
    return (f'{number:3} {verdict:10} {seconds:4.0f} s  {file}:{m.number()}  {m.kind}\n'
            f'    - {before}\n    + {after}\n    {detail}')


class Work:
    """Draws changes until `count` of them have been judged."""

    def __init__(self, args, trees):
        self.args, self.draw, self.lock = args, drawn(args), threading.Lock()
        self.known, self.rows, self.taken = equivalents(), [], 0
        self.only = {int(n) for n in args.only.split(',')} if args.only else None
        self.free = queue.Queue()
        self.right, self.suite = trees[0].trace(), suite()
        wrong = [f for f in self.right if self.right[f][0] != 'ok']
        assert not wrong, f'the right tilec fails for {wrong}'

    def next(self):
        with self.lock:
            if self.taken >= (len(self.only) if self.only else self.args.count):
                return None
            for number, mutation in self.draw:
                if not self.only or number in self.only:
                    self.taken += 1
                    return number, mutation
            return None

    def worker(self, t):
        for number, mutation in iter(self.next, None):
            began = time.time()
            verdict = self.one(t, mutation)
            if verdict is None:
                with self.lock:
                    self.taken -= not self.only
                continue
            row = (number, mutation, *verdict, time.time() - began)
            with self.lock:
                self.rows.append(row)
                print(show(row), flush=True)

    def one(self, t, mutation):
        """(who noticed, a detail); None if it does not compile."""
        reason = self.known.get(mutation.key())
        if reason:
            return 'equivalent', reason
        try:
            if not t.apply(mutation):
                return None
            noticed, detail = Judge(self.right, self.suite, self.args.kernels).judge(t, mutation.kind)
            return noticed or 'SURVIVES', detail
        finally:
            t.restore()


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split('\n\n')[1][7:])
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--count', type=int, default=40)
    parser.add_argument('--only', help='numbers of the draw: 3,17')
    parser.add_argument('--kernels', type=int, default=1000)
    parser.add_argument('--list', action='store_true')
    parser.add_argument('--jobs', type=int, default=os.cpu_count() or 1)
    parser.add_argument('--files', default='*')
    args = parser.parse_args()
    if args.list:
        for number, m in drawn(args):
            if number > args.count:
                return 0
            print(show((number, m, '', '', 0)))
    folder = os.path.join(ROOT, 'build', 'mutants')
    trees = tree.make_trees(os.path.join(folder, 'trees'), args.jobs)
    work = Work(args, trees)
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for done in [pool.submit(work.worker, t) for t in trees]:
            done.result()
    work.rows.sort(key=lambda row: row[0])
    with open(os.path.join(folder, f'{args.seed}.txt'), 'w') as f:
        f.write('\n'.join(map(show, work.rows)) + '\n')
    by = {}
    for row in work.rows:
        by.setdefault(row[2], []).append(row[0])
    for verdict in sorted(by):
        print(f'{verdict}: {len(by[verdict])} ({" ".join(map(str, by[verdict]))})')
    print(f'{len(work.rows)} changes, {len(by.get("SURVIVES", []))} survive')
    return 1 if 'SURVIVES' in by else 0


if __name__ == '__main__':
    sys.exit(main())
