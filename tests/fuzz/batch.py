"""batch.py -- a batch of programs in a process of its own, so that a crash is that of one program

The child writes a line for each thing it begins or finds to a file; the parent reads how far it came.
"""
import json
import os
import re
import subprocess
import sys
import time
import where  # noqa: F401  (finds the next)
import build
import check
from node import TooLong
from launch import launches_of
from make import make_program

HERE = os.path.dirname(os.path.abspath(__file__))


def program_of(seed, launches=2):
    """The program of a seed, with its launches."""
    p = make_program(f'p{seed}', seed)
    p.launches = launches_of(p, seed, launches)
    return p


class Log:
    def __init__(self, path):
        self.path = path

    def say(self, **words):
        with open(self.path, 'a') as f:
            f.write(json.dumps(dict(words, time=time.time())) + '\n')


def accepted(seeds, stem, log):
    """The programs that tilec takes, by seed; what it says of the others is noted."""
    found = {}
    for seed in seeds:
        log.say(at=seed, stage='generate')
        p = program_of(seed)
        log.say(at=seed, stage='tilec', seen=p.seen)
        trouble = check.translate(p.text(), f'{stem}_{seed}')
        if trouble is None:
            found[seed] = p
            log.say(at=seed, stage='tilec', seen=paths(f'{stem}_{seed}.cu'))
        else:
            log.say(found=seed, launch=0, kind=trouble[0], text=trouble[1])
    return found


def paths(file):
    """What the output of a program does that is worth counting."""
    with open(file) as f:
        text = f.read()
    words = {'on tensor cores': r'\bldmatrix_x4(_trans)?\(', 'rounds ahead': r'cp_async_wait<\d>\(\);', 'on CUDA cores': '// for each k'}
    return {what: 1 for what, word in words.items() if re.search(word + '', text)}


def wanted_of(program, seed, log):
    """[(number, Setup, what it should give)] of its launches; those that take too long are left out."""
    out = []
    for number, launch in enumerate(program.launches):
        log.say(at=seed, stage='numpy', launch=number)
        setup = check.Setup(program, launch)
        try:
            wanted = check.told(setup)
        except TooLong:
            log.say(skipped=seed, why='too long')
            continue
        if wanted is None:
            log.say(skipped=seed, why='unsettled')
        out.append((number, setup, wanted))
    return out


def merged(programs, stem, log, gpu):
    """All of them in one file, built and loaded; without those whose own build fails."""
    while programs:
        text = '\n'.join(p.text() for p in programs.values())
        trouble = check.translate(text, stem)
        if trouble:
            log.say(found=next(iter(programs)), launch=0, kind='together ' + trouble[0], text=trouble[1])
            return None
        try:
            return check.Device(check.compile_file(stem, gpu), stem + '.h', gpu)
        except build.Failed as failed:
            bad = guilty(programs, str(failed), stem, gpu)
            if not bad:
                log.say(found=next(iter(programs)), launch=0, kind='together does not build', text=str(failed))
                return None
            for seed, said in bad.items():
                log.say(found=seed, launch=0, kind='does not build', text=said)
                del programs[seed]
    return None


def guilty(programs, said, stem, gpu):
    """Those that do not build alone, with what the compiler said; those that it named are tried first."""
    bad, names = {}, [s for s in programs if f'p{s}' in said]
    for seed in names + [s for s in programs if s not in names]:
        if bad and seed not in names:
            break
        try:
            check.compile_file(f'{stem}_{seed}', gpu)
        except build.Failed as failed:
            bad[seed] = str(failed)
    return bad


def child(seeds, stem, gpu):
    """The whole batch; everything is noted in stem.log."""
    log = Log(stem + '.log')
    programs = accepted(seeds, stem, log)
    told = {}
    for seed, p in programs.items():
        told[seed] = wanted_of(p, seed, log)
        for number, setup, wanted in told[seed]:
            log.say(at=seed, stage='interpreter', launch=number)
            trouble = check.interpret(p, f'{stem}_{seed}', setup, wanted)
            if trouble:
                log.say(found=seed, launch=number, kind=trouble[0], text=trouble[1])
    log.say(at=None, stage='build')
    device = merged(programs, stem, log, gpu)
    for seed in programs if device else ():
        for number, setup, wanted in told[seed]:
            log.say(at=seed, stage=device.who, launch=number)
            trouble = device.launch(setup, wanted)
            if trouble:
                log.say(found=seed, launch=number, kind=trouble[0], text=trouble[1])
            if trouble and trouble[0] == 'GPU stops':          # its context is gone: nothing more runs here
                log.say(end=True)
                return
        log.say(done=seed)
    log.say(end=True)


def run(seeds, stem, gpu=False, seconds=600):
    """Runs a batch in a child; the lines of its log. A death is a finding of the program it was at."""
    for old in [stem + '.log']:
        if os.path.exists(old):
            os.unlink(old)
    command = [sys.executable, os.path.join(HERE, 'batch.py'), stem, 'gpu' if gpu else 'cpu', *map(str, seeds)]
    began = time.time()
    with open(stem + '.said', 'w') as said:
        process = subprocess.Popen(command, stdout=said, stderr=subprocess.STDOUT)
        try:
            status = process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            status = 'no end'
    lines = [json.loads(line) for line in open(stem + '.log')] if os.path.exists(stem + '.log') else []
    if not lines or 'end' not in lines[-1]:
        at = next((x for x in reversed(lines) if 'at' in x), {'at': seeds[0], 'stage': 'start'})
        text = open(stem + '.said', errors='replace').read()[-2000:]
        lines.append(dict(found=at['at'], launch=at.get('launch', 0), kind=f'died in {at["stage"]}',
                          text=f'status {status} after {time.time() - began:.0f} s\n{text}'))
    clean(seeds, stem)
    return lines


def clean(seeds, stem):
    for name in [stem] + [f'{stem}_{s}' for s in seeds]:
        for end in ('.tile', '.cu', '.h', '.so', '_gpu.so', '.log', '.said'):
            if os.path.exists(name + end):
                os.unlink(name + end)


if __name__ == '__main__':
    child([int(s) for s in sys.argv[3:]], sys.argv[1], sys.argv[2] == 'gpu')
