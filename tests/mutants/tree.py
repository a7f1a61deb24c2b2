"""tree.py -- a copy of the project in which one file is wrong, and what its tilec makes of every .tile"""
import concurrent.futures
import glob
import hashlib
import os
import re
import shutil
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CC = os.environ.get('CC', 'cc')
WARN = ['-w', '-std=c11', '-D_POSIX_C_SOURCE=200809L', '-D_XOPEN_SOURCE=700']
SANITIZE = ['-fsanitize=address,undefined', '-fno-omit-frame-pointer']
TILES = ['examples/*.tile', 'stdlib/*/*.tile', 'bench/kernels/*.tile', 'tests/*/*.tile', 'tests/*/*/*.tile']
SECONDS = 60                    # longer than any translation takes: it hangs


def run(command, seconds, **more):
    """(status, output) of a command; None as status if it took too long: all of it is ended."""
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, start_new_session=True, **more)
    try:
        out, _ = process.communicate(timeout=seconds)
        return process.returncode, out
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        process.communicate()
        return None, b''


class Tree:
    """The copy in `path`; `source` is what make builds, in the order of the pipeline."""

    def __init__(self, path):
        self.path, self.build = path, os.path.join(path, 'build')
        shutil.rmtree(path, ignore_errors=True)
        files = subprocess.run(['git', 'ls-files', '-co', '--exclude-standard'], cwd=ROOT, check=True,
                               stdout=subprocess.PIPE, text=True).stdout.split('\n')
        for name in filter(lambda n: os.path.isfile(os.path.join(ROOT, n)), files):
            os.makedirs(os.path.dirname(os.path.join(path, name)), exist_ok=True)
            shutil.copy2(os.path.join(ROOT, name), os.path.join(path, name))
        for folder in ('asan', 'tests/kernels'):
            os.makedirs(os.path.join(self.build, folder))
        for pattern in ('*.[och]', 'asan/*.o', 'tests/kernels/tile_emulator.o'):
            for name in glob.glob(os.path.join(ROOT, 'build', pattern)):
                shutil.copy2(name, os.path.join(self.build, os.path.relpath(name, os.path.join(ROOT, 'build'))))
        self.objects = [name + '.o' for name in pipeline() + ['lex', 'tile', 'templates']]
        self.link('', [], os.path.join(self.build, 'tilec'))

    def link(self, folder, flags, target):
        objects = [os.path.join(self.build, folder, o) for o in self.objects]
        return run([CC, *flags, '-o', target, *objects, '-lm'], 600)[0] == 0

    def compile(self, folder, flags, target):
        """The object and the program of the file that is wrong; keeps the right object."""
        name, source = self.changed_object()
        out = os.path.join(self.build, folder, name + '.o')
        if not os.path.exists(out + '.right'):
            shutil.copy2(out, out + '.right')
        done = run([CC, *flags, *WARN, '-I', 'translator', '-I', 'build', '-c', '-o', out, source], 600,
                   cwd=self.path)
        return done[0] == 0 and self.link(folder, [f for f in flags if f.startswith('-fs')], target)

    def changed_object(self):
        if not self.file.startswith('templates/'):
            return os.path.basename(self.file)[:-2], self.file
        with open(os.path.join(self.build, 'templates.c'), 'wb') as out:
            names = sorted(glob.glob(os.path.join(self.path, 'templates', '*.cu')))
            out.write(subprocess.run(['scripts/embed.sh', *names], cwd=self.path, check=True,
                                     stdout=subprocess.PIPE).stdout)
        return 'templates', 'build/templates.c'

    def apply(self, mutation):
        """Makes the file wrong; False if it does not compile."""
        self.file, self.original = mutation.file, mutation.original
        with open(os.path.join(self.path, self.file), 'w') as f:
            f.write(mutation.text())
        return self.compile('', ['-O1'], os.path.join(self.build, 'tilec'))

    def apply_sanitized(self):
        flags = ['-g', '-O1', *SANITIZE, '-DVERIFY']
        return self.compile('asan', flags, os.path.join(self.build, 'tilec-asan'))

    def restore(self):
        with open(os.path.join(self.path, self.file), 'w') as f:
            f.write(self.original)
        for right in glob.glob(os.path.join(self.build, '**', '*.right'), recursive=True):
            os.replace(right, right[:-6])

    # ---- what it makes of every .tile

    def tiles(self):
        return sorted(os.path.relpath(t, self.path) for p in TILES
                      for t in glob.glob(os.path.join(self.path, p)))

    def translate(self, tile):
        """('ok', 'crash' or 'hang'; a digest of status, reports and dumps; the texts)."""
        out = os.path.join(self.build, 'mutant', tile.replace('/', '+') + '.cu')
        with open(os.path.join(self.path, tile)) as f:
            options = re.findall(r'//! options: *(.*)', f.read())
        for suffix in ('.cu', '.h'):
            if os.path.exists(out[:-3] + suffix):
                os.remove(out[:-3] + suffix)
        command = [os.path.join(self.build, 'tilec'), *' '.join(options).split(), '-I',
                   os.path.join(self.path, 'stdlib'), '-d', 'ips', '-o', out, os.path.basename(tile)]
        status, said = run(command, SECONDS, cwd=os.path.dirname(os.path.join(self.path, tile)))
        texts = []
        for suffix in ('.cu', '.h'):
            if os.path.exists(out[:-3] + suffix):
                with open(out[:-3] + suffix, 'rb') as f:
                    texts.append(f.read())
        how = 'hang' if status is None else 'crash' if status < 0 or status > 2 else 'ok'
        said = said.replace(self.path.encode(), b'')
        return how, hashlib.sha256(b'%d' % (status or 0) + said).digest(), texts

    def trace(self):
        """What translate says of each file; ends early at a crash or a hang."""
        os.makedirs(os.path.join(self.build, 'mutant'), exist_ok=True)
        found = {}
        for tile in self.tiles():
            found[tile] = self.translate(tile)
            if found[tile][0] != 'ok':
                break
        return found


def pipeline():
    """The names in SRC of the Makefile."""
    with open(os.path.join(ROOT, 'Makefile')) as f:
        text = f.read().replace('\\\n', ' ')
    return re.search(r'^SRC = (.*)$', text, re.M).group(1).split()


def make_trees(folder, count):
    with concurrent.futures.ThreadPoolExecutor(count) as pool:
        return list(pool.map(Tree, [os.path.join(folder, str(i)) for i in range(count)]))
