"""common.py -- running tilec on a text, counting what holds"""
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
TILEC = os.path.abspath(os.environ.get("TILEC") or os.path.join(ROOT, "build", "tilec"))
EXAMPLES = os.path.join(ROOT, "examples")
counts = {"passed": 0, "failed": 0, "skipped": 0}
folder = tempfile.TemporaryDirectory(prefix="tilec-frontend-")


def check(good, what):
    counts["passed" if good else "failed"] += 1
    if not good:
        print("frontend: " + what)
    return good


def skip(what):
    counts["skipped"] += 1
    print("frontend: skipped: " + what)


def path(name):
    return os.path.join(folder.name, name)


def write(name, text):
    data = text.encode() if isinstance(text, str) else text
    with open(path(name), "wb") as f:
        f.write(data)
    return path(name)


def read(name):
    with open(path(name), "rb") as f:
        return f.read().decode()


class Result:
    def __init__(self, status, out, err):
        self.status, self.out, self.err = status, out, err

    def crashed(self):
        return self.status not in (0, 1, 2) or "Sanitizer" in self.err or "runtime error:" in self.err


def tilec(*args, seconds=20, stdout=None):
    """Runs tilec in the folder of this test; a hang has the status -99."""
    try:
        done = subprocess.run([TILEC, *args], cwd=folder.name, timeout=seconds, stdin=subprocess.DEVNULL,
                              stdout=stdout or subprocess.PIPE, stderr=subprocess.PIPE)
    except subprocess.TimeoutExpired:
        return Result(-99, "", "it hangs")
    return Result(done.returncode, (done.stdout or b"").decode("utf-8", "replace"),
                  done.stderr.decode("utf-8", "replace"))


def survives(text, what, *args, seconds=20):
    """A text, whatever it is, gets an answer: accepted or refused."""
    result = tilec(*(args or ("--check",)), write("t.tile", text), seconds=seconds)
    check(not result.crashed(), "%s: status %d: %s" % (what, result.status, result.err[-400:]))
    return result


def finish():
    print("%d passed, %d failed, %d skipped" % (counts["passed"], counts["failed"], counts["skipped"]))
    sys.exit(1 if counts["failed"] else 0)
