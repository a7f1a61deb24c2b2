"""mutate.py -- small wrong changes of a C or CUDA text: where they can be made, and what they are"""
import re

# What a mutation changes, in the order in which a draw takes turns: a comparison, a condition, a
# guard of the output, a barrier of the output, an index, a sign, && and ||, a number, an assignment.
# Strings of the files that emit are changed as their code is.
KINDS = ('compare', 'condition', 'mask', 'barrier', 'index', 'sign', 'logic', 'constant', 'statement')
OTHER = {'<': '<=', '<=': '<', '>': '>=', '>=': '>', '==': '!=', '!=': '==',
         '+': '-', '-': '+', '+=': '-=', '-=': '+=', '&&': '||', '||': '&&'}


class Mutation:
    """Replaces pieces of a file's text: edits are (offset, length, replacement)."""

    def __init__(self, file, text, kind, *edits):
        self.file, self.original, self.kind, self.edits = file, text, kind, edits

    def text(self):
        text = self.original
        for at, length, new in sorted(self.edits, reverse=True):
            text = text[:at] + new + text[at + length:]
        return text

    def number(self):
        """The line where it begins, from 1."""
        return self.original.count('\n', 0, min(self.edits)[0]) + 1

    def line(self, text):
        return text.split('\n')[self.number() - 1].strip()

    def key(self):
        return self.file, self.line(self.original), self.line(self.text())


def classes(text):
    """A letter for each character: c code, s inside a string, - neither (comments, directives)."""
    out, i = ['c'] * len(text), 0
    token = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|^[ ]*#(?:[^\n\\]|\\.)*',
                       re.S | re.M)
    for m in token.finditer(text):
        inside = m.group().startswith('"')
        for i in range(m.start(), m.end()):
            out[i] = 's' if inside else '-'
        if inside:
            out[m.start()] = out[m.end() - 1] = '-'
    return ''.join(out)


def close(text, kinds, at):
    """The parenthesis or bracket that closes the one at `at`."""
    pair, depth = {'(': ')', '[': ']'}[text[at]], 0
    for i in range(at, len(text)):
        if kinds[i] == kinds[at]:
            depth += (text[i] == text[at]) - (text[i] == pair)
            if depth == 0:
                return i
    return None


def functions_to_leave(text):
    """Spans of functions that print for people: dumps."""
    for m in re.finditer(r'^[a-z][^\n;]*\b\w*dump\w*\([^;{]*?\)\n\{.*?^\}', text, re.S | re.M):
        yield m.start(), m.end()


def sites(file, text, emits):
    """Every mutation of a text; of its strings only if it is one that emits."""
    kinds, leave = classes(text), list(functions_to_leave(text))
    template, both = file.endswith('.cu'), 'cs' if emits else 'c'

    def find(pattern, where):
        for m in re.finditer(pattern, text, re.M):
            at = m.start(1)
            if kinds[at] in where and not any(a <= at < b for a, b in leave):
                yield m

    def make(kind, m, new, more=()):
        return Mutation(file, text, kind, (m.start(1), m.end(1) - m.start(1), new), *more)

    for m in find(r'(?<= )(<=|>=|==|!=|<|>)(?= )', both):
        yield make('compare', m, OTHER[m.group(1)])
    for m in find(r'\bif (\()', 'c'):
        end = close(text, kinds, m.start(1))
        if end:
            for new in ('1 || (', '0 && ('):
                kind = 'mask' if template else 'condition'
                yield Mutation(file, text, kind, (m.end(1), 0, new), (end, 0, ')'))
    if emits:
        for m in find(r'\bif (\()', 's'):
            yield make('mask', m, '(true || ')
    for m in find(r'(__sync(?:threads|warp)\(\);)', both):
        yield make('barrier', m, ';')
    for m in find(r'^ +((?:round_)?barrier)(?=\()', 'c'):
        yield make('barrier', m, '(void)')
    for m in find(r'(?<=[\w\]])(\[)(?=[^\]])', 'c' if template else 's' if emits else ''):
        end = close(text, kinds, m.start(1))
        if end and '\n' not in text[m.start(1):end]:
            yield Mutation(file, text, 'index', (end, 0, ' + 1'))
    for m in find(r'( [+-] 1)\b(?!\.)', both):
        yield make('index', m, '')
    for m in find(r'(?<= )(\+|-|\+=|-=)(?= )', both):
        yield make('sign', m, OTHER[m.group(1)])
    for m in find(r'(?<= )(&&|\|\|)(?= )', both):
        yield make('logic', m, OTHER[m.group(1)])
    for m in find(r'(?<![\w.%])(\d+)(?![\w.])', 'c'):
        yield make('constant', m, str(int(m.group(1)) + 1))
    for m in find(r'^ +([\w.>\[\]-]+(?: [+*|&-]?= [^;\n]*|\+\+|--);)', 'c'):
        yield make('statement', m, ';')


def draw(random, files):
    """Mutations of `files`, (name, text, whether it emits): kinds take turns, places are drawn."""
    by_kind = {kind: [] for kind in KINDS}
    for file in files:
        for mutation in sites(*file):
            by_kind[mutation.kind].append(mutation)
    for kind in KINDS:
        random.shuffle(by_kind[kind])
    while any(by_kind.values()):
        for kind in KINDS:
            if by_kind[kind]:
                yield by_kind[kind].pop()
