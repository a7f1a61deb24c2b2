#!/usr/bin/env python3
"""rules.py -- runs the examples of docs/language.md, and lists the rules that none shows

usage: rules.py [--list] [--keep DIR] [R5.3 ...]

A rule begins a paragraph with its number, **R5.3**, which it keeps for ever. The fenced blocks
marked `tile` that follow are its examples, up to the next rule. A block that has a kernel is a
program; one that has functions or consts alone gets a kernel behind it; any other one is
statements, which stand in this kernel:

    kernel example<BM: int = 4, BN: int = 8>(
        y: &mut tensor<f32, [M, N]> by [i: BM, j: BN], x: &tensor<f32, [M, N]>,
        v: &tensor<f32, [N]>, w: &tensor<i32, [M, N]>, a: &tensor<f32, [M, K]>, n: i32, s: f32)
    {
        let t = x.load_like(y);
        ..
        y.store(t);                     // unless they store y themselves
    }

Each must be accepted without a word; `// error E0502` at the end of a line says that this line must
be refused with that code, `// warning shadow` that it is warned of, and nothing else. A rule may
also be shown by a test, whose path stands in its text: tests/padding/loop_break.tile.

--list prints each rule with the number of its examples, --keep writes the programs to a folder.
TILEC names the translator (default: build/tilec). The last line is `N passed, N failed, N skipped`.
"""
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DOC = os.path.join(ROOT, 'docs', 'language.md')
HEAD = '''kernel example<BM: int = 4, BN: int = 8>(
    y: &mut tensor<f32, [M, N]> by [i: BM, j: BN], x: &tensor<f32, [M, N]>,
    v: &tensor<f32, [N]>, w: &tensor<i32, [M, N]>, a: &tensor<f32, [M, K]>, n: i32, s: f32)
{
    let t = x.load_like(y);
'''
ITEM = re.compile(r'^(#\[|use |const |fn |kernel |simt |pipeline |collective )', re.M)
KERNEL = re.compile(r'^(simt )?(kernel|pipeline) ', re.M)
REPORT = re.compile(r'^(.*?):(\d+):\d+: (error|warning): (.*) \[(?:-W)?(\w+)\]$')
WANTED = re.compile(r'// (error|warning) (\w+)\s*$')


def rules(text):
    """[(number, line, text of the rule, [(line, block)])] in order."""
    found, block, start = [], None, 0
    for number, line in enumerate(text.split('\n'), 1):
        if block is not None:
            if line.startswith('```'):
                found[-1][3].append((start, block))
                block = None
            else:
                block += line + '\n'
        elif line.startswith('```tile') and found:
            block, start = '', number
        else:
            rule = re.match(r'\*\*(R\d+\.\d+)\*\*', line)
            if rule:
                found.append((rule.group(1), number, '', []))
            if found:
                found[-1] = found[-1][:2] + (found[-1][2] + line + '\n',) + found[-1][3:]
    return found


def program(block):
    """The block as a whole program, and how many lines stand before it."""
    if KERNEL.search(block):
        return block, 0
    if ITEM.search(block):
        return block + HEAD + '    y.store(t);\n}\n', 0
    body = ''.join('    ' + line + '\n' if line else '\n' for line in block.rstrip('\n').split('\n'))
    end = '' if re.search(r'\by\.(store|put)\b', block) else '    y.store(t);\n'
    return HEAD + body + end + '}\n', HEAD.count('\n')


def run(tilec, path, text, before):
    """What is wrong with the answer to an example; an empty list if nothing is."""
    with open(path, 'w') as f:
        f.write(text)
    done = subprocess.run([tilec, '--check', path], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=60)
    wanted = set()
    for number, line in enumerate(text.split('\n'), 1):
        if WANTED.search(line):
            wanted.add((number,) + WANTED.search(line).groups())
    came, words = set(), {}
    for line in done.stdout.split('\n'):
        report = REPORT.match(line)
        if report:
            key = (int(report.group(2)), report.group(3), report.group(5))
            came.add(key)
            words[key] = report.group(4)
    wrong = ['line %d: no %s %s' % (k[0] - before, k[1], k[2]) for k in sorted(wanted - came)]
    wrong += ['line %d: %s %s: %s' % (k[0] - before, k[1], k[2], words[k])
              for k in sorted(came - wanted)]
    status = 1 if any(k[1] == 'error' for k in came) else 0
    if done.returncode != status:
        wrong.append('exit status %d: %s' % (done.returncode, done.stdout.strip()[:200]))
    return wrong


def main():
    words = sys.argv[1:]
    listing = '--list' in words
    keep = words[words.index('--keep') + 1] if '--keep' in words else None
    only = [w for w in words if re.match(r'R\d', w)]
    tilec = os.path.abspath(os.environ.get('TILEC', os.path.join(ROOT, 'build', 'tilec')))
    with open(DOC) as f:
        found = rules(f.read())
    if not os.access(tilec, os.X_OK):
        print('rules: %s is not built' % tilec)
        print('0 passed, 0 failed, %d skipped' % sum(len(r[3]) for r in found))
        return 0
    passed, failed, seen = 0, 0, set()
    with tempfile.TemporaryDirectory() as scratch:
        for rule, line, text, blocks in found:
            if rule in seen:
                print('docs/language.md:%d: %s a second time' % (line, rule))
                failed += 1
            seen.add(rule)
            tests = re.findall(r'tests/[\w/]+\.\w+', text)
            for test in tests:
                if not os.path.exists(os.path.join(ROOT, test)):
                    print('docs/language.md:%d: %s names %s, which is not there' % (line, rule, test))
                    failed += 1
            if listing:
                print('%-6s %d examples, %d tests' % (rule, len(blocks), len(tests)))
            if not blocks and not tests:
                print('docs/language.md:%d: no example of %s' % (line, rule))
                failed += 1
            for start, block in blocks:
                if only and rule not in only:
                    continue
                source, before = program(block)
                path = os.path.join(keep or scratch, '%s_%d.tile' % (rule.replace('.', '_'), start))
                wrong = run(tilec, path, source, before)
                for what in wrong:
                    print('docs/language.md:%d: %s: %s' % (start, rule, what))
                passed += not wrong
                failed += bool(wrong)
    print('%d passed, %d failed, 0 skipped' % (passed, failed))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
