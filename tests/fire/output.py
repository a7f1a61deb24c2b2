"""output.py -- outputs that cannot be written, and a tilec that is killed: whole files or the old ones"""
import os
import signal
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TILEC = os.path.abspath(os.environ.get("TILEC") or os.path.join(ROOT, "build", "tilec"))
KERNEL = "kernel k%d(y: &mut tensor<f32, [N]> by [i: 8])\n{\n    y.store(%d.0);\n}\n"
SMALL = KERNEL % (1, 1)
bad = 0


def check(good, what):
    global bad
    if not good:
        bad += 1
        print("output: " + what)


def tilec(*args, **more):
    done = subprocess.run([TILEC, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60, **more)
    return done.returncode, done.stderr.decode()


def write(name, text):
    with open(name, "w") as f:
        f.write(text)


def read(name):
    with open(name) as f:
        return f.read()


def refused(args, said, **more):
    status, err = tilec(*args, **more)
    check(status == 2 and said in err, "%s: %d %s" % (" ".join(args), status, err))


def unusual_inputs():
    os.mkdir("folder.tile")
    refused(["folder.tile"], "Is a directory")
    refused(["a.tile/b.tile"], "Not a directory")
    refused(["loop.tile"], "cannot read")
    status, err = tilec("/dev/stdin", "-o", "-", input=SMALL.encode())
    check(status == 0, "a pipe as input: %d %s" % (status, err))
    with open("huge.tile", "wb") as f:
        f.truncate((1 << 28) + 1)
    refused(["huge.tile"], "too large")
    os.remove("huge.tile")


def unusual_outputs():
    os.mkdir("folder")
    refused(["a.tile", "-o", "folder"], "Is a directory")
    refused(["a.tile", "-o", "none/a.cu"], "No such file")
    refused(["a.tile", "-o", "a.tile/a.cu"], "Not a directory")
    refused(["a.tile", "-o", "n" * 300 + ".cu"], "too long")
    refused(["a.tile", "-o", "b.cu", "--header", "none/b.h"], "No such file")
    check(not os.path.exists("b.cu"), "a .cu without its header")
    if os.getuid():                                # root may write everywhere
        os.mkdir("fixed", 0o555)
        refused(["a.tile", "-o", "fixed/a.cu"], "Permission denied")
    read_end, write_end = os.pipe()
    os.close(read_end)
    status, _ = tilec("a.tile", "-o", "/dev/fd/%d" % write_end, "--header", "p.h", pass_fds=[write_end])
    check(status != 0 and not os.path.exists("p.h"), "a pipe that nobody reads: %d" % status)


def killed():
    """At chance moments, many while it writes: each file is the old one or the new one, whole."""
    texts = ["".join(KERNEL % (i, turn) for i in range(150)) for turn in range(2)]
    made = []
    for text in texts:
        write("k.tile", text)
        before = time.time()
        check(tilec("k.tile")[0] == 0, "many kernels")
        seconds = time.time() - before
        made.append(read("k.cu"))
    for turn in range(30):
        write("k.tile", texts[turn % 2])
        with subprocess.Popen([TILEC, "k.tile"], stderr=subprocess.DEVNULL) as p:
            time.sleep(seconds * (0.5 + turn / 40))
            p.send_signal(signal.SIGKILL if turn % 3 else signal.SIGTERM)
        check(read("k.cu") in made, "killed: k.cu is neither the old nor the new one")
    write("k.tile", texts[0])
    check(tilec("k.tile")[0] == 0 and read("k.cu") == made[0], "after all that")


def main():
    with tempfile.TemporaryDirectory(prefix="tilec-output-") as folder:
        os.chdir(folder)
        write("a.tile", SMALL)
        os.symlink("loop.tile", "loop.tile")
        unusual_inputs()
        unusual_outputs()
        killed()
        os.chdir(ROOT)
    sys.exit(1 if bad else 0)


main()
