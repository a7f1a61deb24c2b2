#!/usr/bin/env python3
"""run.py -- random programs: what the interpreter, the emulator (or a GPU) and NumPy make of each has to agree

usage: run.py [--seconds N | --programs N] [--seed S] [--gpu] [--jobs N] [--batch N] [--coverage] [--only SEED[:LAUNCH]]

Programs are numbered from the seed on; the same number gives the same program, launches and data. Without a seed it
is the date. A failure is made small and written to build/fuzz/FOUND-NUMBER.tile, with what is wrong and how to see it
again; --only runs one number again and shows its program. The last line is `N passed, N failed, N skipped`: programs
that agree; those with a finding; those that are too much for the machine (check.py lists which refusals may be).
"""
import argparse
import collections
import concurrent.futures
import itertools
import os
import sys
import time
import where  # noqa: F401  (finds the next)
import batch
import check
import shrink

STEP = 1000000                # numbers of one seed


class Sums:
    """What all batches together came to."""

    def __init__(self):
        self.made, self.done, self.findings = 0, set(), {}
        self.refused, self.skipped, self.seen = collections.Counter(), collections.Counter(), collections.Counter()
        self.launches = 0

    def add(self, seeds, lines):
        self.made += len(seeds)
        for line in lines:
            if 'done' in line:
                self.done.add(line['done'])
            elif 'skipped' in line:
                self.skipped[line['why']] += 1
            elif 'seen' in line:
                self.seen.update(line['seen'])
            elif 'found' in line:
                self.found(line)
            elif line.get('stage') == 'interpreter':
                self.launches += 1

    def found(self, line):
        code = line['kind'].split()[-1]
        if line['kind'].startswith('refused') and code in check.MAY_REFUSE:
            self.refused[code] += 1
        elif line['found'] not in self.findings:
            self.findings[line['found']] = line


def batches(args, first):
    """Lists of program numbers, until the time or the count is over."""
    end, left = time.time() + args.seconds, args.programs
    for start in itertools.count(first, args.batch):
        n = min(args.batch, left) if args.programs else args.batch
        if n <= 0 or not args.programs and time.time() > end:
            return
        left -= n
        yield list(range(start, start + n))


def hunt(args, first):
    """Runs batches, some at a time; what they find is reported at once. (sums, failed, seconds)"""
    sums, began, failed, told = Sums(), time.time(), 0, collections.Counter()
    one = lambda seeds: (seeds, batch.run(seeds, os.path.join(check.OUT, f'batch{seeds[0]}'), args.gpu))
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        running, source = set(), batches(args, first)
        while True:
            while len(running) < args.jobs and (seeds := next(source, None)):
                running.add(pool.submit(one, seeds))
            if not running:
                break
            done, running = concurrent.futures.wait(running, return_when=concurrent.futures.FIRST_COMPLETED)
            for future in done:
                sums.add(*future.result())
            failed += findings(sums, args, told)
    return sums, failed, time.time() - began


# ---- findings --------------------------------------------------------------------------------------


def confirmed(line, gpu):
    """The finding as it is seen in a process and a build of its own; None if it is not seen there."""
    kind = line['kind']
    if kind.startswith(('together', 'died')) or line['found'] is None:
        stage = kind.split()[-1] if kind.startswith('died') else 'build'
        if line['found'] is None or stage not in ('interpreter', 'emulator', 'GPU', 'build'):
            return kind, line['text']
        program = batch.program_of(line['found'])
        return shrink.verdict(program, line['launch'], stem_of(line), gpu, stage) or (kind, line['text'])
    return shrink.verdict(batch.program_of(line['found']), line['launch'], stem_of(line), gpu, shrink.stage_of(kind))


def stem_of(line):
    return os.path.join(check.OUT, f'FOUND-{line["found"]}')


def report(line, trouble, gpu, seconds):
    """Makes a finding small and writes it down."""
    kind, text = trouble
    print(f'{line["found"]}:{line["launch"]}: {kind}: {text.strip()[-400:] if kind.startswith("died in") else text.strip()[:400]}')
    if line['found'] is None or kind.startswith('died in') and not kind.endswith(('interpreter', 'emulator')):
        return
    program = shrink.shrink(batch.program_of(line['found']), line['launch'], kind, text, stem_of(line), gpu, seconds)
    stem = stem_of(line)
    launch = program.launches[0]
    setup = check.Setup(program, launch)
    command = check.command_of(program, stem, setup, f'{stem}.')
    again = shrink.verdict(program, 0, stem, gpu, shrink.stage_of(kind)) or trouble
    with open(stem + '.tile', 'w') as f:
        f.write(f'// {kind}: ' + again[1].strip().replace('\n', '\n// ')[:600] + f'\n// launch: {launch.text()}\n'
                f'// ./tilec {" ".join(os.path.relpath(w, check.build.ROOT) if os.sep in w and "=" not in w else w for w in command)}\n'
                f'// before it was made small: tests/fuzz/run.py --only {line["found"]}:{line["launch"]}\n\n' + program.text())
    for end in ('.cu', '.h', '.so', '_gpu.so'):
        if os.path.exists(stem + end):
            os.unlink(stem + end)
    print(f'  made small: {os.path.relpath(stem, check.build.ROOT)}.tile\n    ' + program.text().replace('\n', '\n    '))


def findings(sums, args, told):
    """Reports what is new and confirmed; how many programs that is. told: how often which kind was."""
    failed = 0
    for line in [f for f in sums.findings.values() if 'looked' not in f]:
        line['looked'] = True
        trouble = confirmed(line, args.gpu)
        if trouble is None:
            sums.skipped[f'not seen again: {line["kind"]}'] += 1
            continue
        failed += 1
        kind = shrink.same(*trouble)
        told[kind] += 1
        if told[kind] <= 2 and len(told) <= 12:
            report(line, trouble, args.gpu, args.shrink)
        else:
            print(f'{line["found"]}:{line["launch"]}: {trouble[0]}: {trouble[1].strip()[:200]}')
        sys.stdout.flush()
    return failed


def only(text, gpu):
    """One number again: its program, and what is said of each launch."""
    seed, _, number = text.partition(':')
    program = batch.program_of(int(seed))
    print(program.text())
    bad = 0
    for n in [int(number)] if number else range(len(program.launches)):
        print('launch', n, program.launches[n].text())
        for stage in ('interpreter', 'GPU' if gpu else 'emulator'):
            trouble = shrink.verdict(program, n, os.path.join(check.OUT, f'only-{seed}'), gpu, stage)
            print(f'  {stage}: {"agrees" if trouble is None else ": ".join(trouble)}')
            bad += trouble is not None
    print(f'{int(not bad)} passed, {int(bad > 0)} failed, 0 skipped')
    return bad > 0


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split('\n\n')[1][7:])
    parser.add_argument('--seconds', type=float, default=60)
    parser.add_argument('--programs', type=int, default=0)
    parser.add_argument('--seed', type=int, default=int(time.strftime('%Y%m%d')))
    parser.add_argument('--gpu', action='store_true')
    parser.add_argument('--jobs', type=int, default=min(os.cpu_count() or 2, 8))
    parser.add_argument('--batch', type=int, default=40)
    parser.add_argument('--shrink', type=float, default=60, help='seconds for each finding')
    parser.add_argument('--coverage', action='store_true')
    parser.add_argument('--only')
    args = parser.parse_args()
    os.makedirs(check.OUT, exist_ok=True)
    os.makedirs(check.build.OUT, exist_ok=True)
    if not os.access(check.build.tilec(), os.X_OK):
        print(f'fuzz: {check.build.tilec()} is not built\n0 passed, 0 failed, 1 skipped')
        return 0
    if args.only:
        return only(args.only, args.gpu)

    print(f'fuzz: seed {args.seed}', flush=True)
    sums, failed, seconds = hunt(args, args.seed % 10**9 * STEP)
    refused = sum(sums.refused.values())
    print(f'fuzz: {sums.made} programs, {sums.launches} launches in {seconds:.0f} s; '
          f'{100 * (1 - refused / max(sums.made, 1)):.1f} % taken; refused {dict(sums.refused)}; left out {dict(sums.skipped)}')
    if args.coverage:
        for what, n in sums.seen.most_common():
            print(f'  {what:16} {n:7}')
    passed = len(sums.done - set(sums.findings)) + sum(n for w, n in sums.skipped.items() if w.startswith('not seen'))
    print(f'{passed} passed, {failed} failed, {max(sums.made - passed - failed, 0)} skipped')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
