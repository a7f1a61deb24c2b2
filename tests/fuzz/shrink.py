"""shrink.py -- makes a failing program small: what is left still fails in the same way

Statements are deleted, ifs become their arms, expressions become one of their operands or a constant, extents become
small. Each candidate is tried in a process of its own; what tilec no longer takes, or what no longer fails, is dropped.
"""
import copy
import json
import os
import re
import time
import check
import value as V
from kernel import If, walk
from node import Node, make

LISTS = ('nodes', 'at', 'places')
SINGLE = ('node', 'cond', 'mask', 'lo', 'hi', 'last')


def same(kind, text):
    """What of a verdict has to stay: its kind, and the words of a stop without numbers and names."""
    if 'stops' in kind or kind == 'tilec died' or 'build' in kind:
        words = re.sub(r'\bp\d\w*|0x\w+|\d+', '#', text)
        found = re.search(r'(error|read|write|race|barrier|two threads|nobody|refus|runtime|status)[^;\n]{0,24}', words)
        return kind, found[0] if found else ''
    return kind, ''


def verdict(program, number, stem, gpu, stage):
    """(kind, text) of a program, found in a fork; None if nothing is wrong."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        try:
            with os.fdopen(writer, 'w') as pipe:
                json.dump(examine(program, number, stem, gpu, stage), pipe)
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        said = pipe.read()
    _, status = os.waitpid(child, 0)
    if not said:
        return f'died in {stage}', f'status {status}'
    return json.loads(said)


def examine(program, number, stem, gpu, stage):
    trouble = check.translate(program.text(), stem)
    if trouble or stage == 'tilec':
        return trouble
    try:
        device = None
        if stage != 'interpreter':
            try:
                device = check.Device(check.compile_file(stem, gpu, '-O1'), stem + '.h', gpu)
            except check.build.Failed as failed:
                return 'does not build', str(failed)
        if stage == 'build':
            return None
        for _, trouble, _ in check.judge(program, stem, device, number):
            return trouble
    except Exception as error:                    # noqa: BLE001  (a candidate that is no program)
        return 'python', repr(error)


def stage_of(kind):
    if kind.startswith(('refused', 'tilec')):
        return 'tilec'
    if 'build' in kind:
        return 'build'
    return 'interpreter' if 'interpreter' in kind else 'emulator'


# ---- candidates ------------------------------------------------------------------------------------


def blocks(program):
    yield program.body
    for s in walk(program.body):
        for b in s.blocks:
            yield getattr(s, b)


def constant(t, shape):
    if t in V.NARROW:
        return make('cast', constant('f32', shape), t=t)
    if not shape:
        return make('lit', v=1 if t != 'bool' else True, t=t)
    return make('full', t=t, shape=shape, v=1 if t != 'bool' else True)


def simpler(n):
    """What may stand for a node: an operand of its type and shape, or a constant."""
    def under(m):
        for a in m.args:
            yield a
            yield from under(a)
    for m in under(n):
        if (m.t, m.shape) == (n.t, n.shape):
            yield m
    if n.op not in ('lit', 'full', 'name', 'extent') and not (n.op == 'cast' and n.t in V.NARROW and n.args[0].op == 'full'):
        yield constant(n.t, n.shape)
    if n.op == 'load' and n.k.get('step'):
        yield Node('load', n.args, {k: v for k, v in n.k.items() if k != 'step'})


def variants(n):
    """The node with one of its parts simpler, the largest parts first."""
    yield from simpler(n)
    for i, a in enumerate(n.args):
        for b in variants(a):
            try:
                yield n.again(n.args[:i] + (b,) + n.args[i + 1:])
            except (AssertionError, TypeError, AttributeError, IndexError):
                continue


def edits(program):
    """Functions that change a copy of the program: (what, function of the copy)."""
    for b, block in enumerate(blocks(program)):
        for i in range(len(block)):
            yield lambda p, b=b, i=i: list(blocks(p))[b].pop(i)
        for i, s in enumerate(block):
            if isinstance(s, If):
                for arm in ('then', 'other'):
                    yield lambda p, b=b, i=i, arm=arm: replace(list(blocks(p))[b], i, arm)
    for name in [p.name for p in program.params] + [n for n, _ in program.scalars]:
        yield lambda p, name=name: drop(p, name)
    yield lambda p: setattr(p, 'attribute', '')
    for i, s in enumerate(walk(program.body)):
        if getattr(s, 'mask', None) is not None:
            yield lambda p, i=i: setattr(list(walk(p.body))[i], 'mask', None)
        for f in SINGLE:
            n = getattr(s, f, None)
            if isinstance(n, Node):
                for v in variants(n):
                    yield lambda p, i=i, f=f, v=v: setattr(list(walk(p.body))[i], f, v)
        for f in LISTS:
            for j, n in enumerate(getattr(s, f, None) or ()):
                if f == 'nodes' and len(s.nodes) > 1:
                    continue
                for v in variants(n):
                    yield lambda p, i=i, f=f, j=j, v=v: getattr(list(walk(p.body))[i], f).__setitem__(j, v)


def replace(block, i, arm):
    block[i:i + 1] = getattr(block[i], arm)


def drop(program, name):
    before = len(program.params) + len(program.scalars)
    program.params = [p for p in program.params if p.name != name]
    program.scalars = [s for s in program.scalars if s[0] != name]
    assert len(program.params) + len(program.scalars) < before


def launch_edits(launch):
    for d, n in launch.extents.items():
        for small in (1, 2, 3, n // 2, n - 1):
            if 0 < small < n:
                yield lambda x, d=d, small=small: x.extents.__setitem__(d, small)
    if launch.how != 'plain':
        yield lambda x: setattr(x, 'how', 'plain')


def shrink(program, number, kind, text, stem, gpu=False, seconds=60):
    """The smallest program found, with its one launch."""
    stage, goal, end = stage_of(kind), same(kind, text), time.time() + seconds
    program = copy.deepcopy(program)
    if number < len(program.launches):
        program.launches = [program.launches[number]]
    tried = set()

    def fails(candidate):
        key = candidate.text() + candidate.launches[0].text()
        if key in tried:
            return False
        tried.add(key)
        got = verdict(candidate, 0, stem, gpu, stage)
        return got is not None and same(*got) == goal

    changed = True
    while changed and time.time() < end:
        changed = False
        for edit in edits(program):
            candidate = attempt(program, edit)
            if candidate is not None and fails(candidate):
                program, changed = candidate, True
                break
            if time.time() > end:
                break
        for edit in list(launch_edits(program.launches[0])) if not changed and stage != 'tilec' else ():
            candidate = attempt(program, lambda p, edit=edit: edit(p.launches[0]))
            if candidate is not None and fails(candidate):
                program, changed = candidate, True
                break
    return program


def attempt(program, edit):
    """A copy, edited; None if that makes no program."""
    candidate = copy.deepcopy(program)
    try:
        edit(candidate)
        candidate.text()
    except Exception:                             # noqa: BLE001  (whatever an edit breaks)
        return None
    return candidate
