"""command.py -- the command line: exit statuses, outputs whole or not at all, dependencies, options"""
import json
import os
import re
import subprocess

from common import ROOT, check, path, read, skip, tilec, write

GOOD = "kernel k(y: &mut tensor<f32, [N]> by [i: 64])\n{\n    y.store(1.0);\n}\n"
BAD = GOOD.replace("1.0", "1.0 +")
WARNS = """kernel k(y: &mut tensor<f32, [N]> by [i: 64])
{
    let mut a = 1.0;
    if true { let a = 2.0; y.store(a); } else { y.store(a); }
}
"""


def refused(args, status, text):
    result = tilec(*args)
    check(result.status == status and text in result.err and not result.out,
          "%s: %d, %s" % (" ".join(args), result.status, result.err[:200]))


def clean():
    for name in os.listdir(path("")):
        if os.path.isfile(path(name)):
            os.remove(path(name))


def wrong_command_lines():
    write("a.tile", GOOD)
    write("b.tile", GOOD)
    refused([], 2, "no input file")
    refused(["a.tile", "b.tile"], 2, "one file at a time")
    refused(["--chekc", "a.tile"], 2, "did you mean `--check`?")
    refused(["--frobnicate", "a.tile"], 2, "unknown option `--frobnicate`")
    refused(["-z", "a.tile"], 2, "unknown option `-z`")
    refused(["a.tile", "-o"], 2, "`-o` needs a value")
    refused(["--check=yes", "a.tile"], 2, "takes no value")
    refused(["--color=pink", "a.tile"], 2, "auto, always or never")
    refused(["--diagnostics=xml", "a.tile"], 2, "text or json")
    refused(["--host=driver", "a.tile"], 2, "later")
    refused(["--arch=rtx", "a.tile"], 2, "sm_80")
    refused(["-d", "q", "a.tile"], 2, "--passes")
    refused(["--stop", "ti", "a.tile"], 2, "--passes")
    refused(["-D", "1x=2", "a.tile"], 2, "NAME=VALUE")
    refused(["-D", "x", "a.tile"], 2, "NAME=VALUE")
    refused(["-Wno-shadov", "a.tile"], 2, "did you mean -Wno-shadow?")
    refused(["--explain=E9999"], 2, "E9999")
    refused(["--explain=shadov"], 2, "did you mean shadow?")
    refused(["no.tile"], 2, "no.tile: No such file")
    refused(["."], 2, "Is a directory")
    refused(["--", "--check"], 2, "--check: No such file")


def good_command_lines():
    clean()
    write("a.tile", GOOD)
    check(tilec("a.tile").status == 0 and os.path.exists(path("a.cu")), "the output by default")
    check('extern "C"' in read("a.h") and "k(" in read("a.h"), "the header by default")
    check(tilec("-o", "x.cu", "a.tile").status == 0 and os.path.exists(path("x.h")), "-o before the file")
    check(tilec("a.tile", "-ox2.cu").status == 0 and os.path.exists(path("x2.h")), "-oFILE")
    check(tilec("a.tile", "--header", "y.h", "-o", "x3.cu").status == 0 and os.path.exists(path("y.h"))
          and not os.path.exists(path("x3.h")), "--header")
    result = tilec("a.tile", "-o", "-")
    check(result.status == 0 and "__global__" in result.out, "standard output")
    check(not os.path.exists(path("-")) and not os.path.exists(path("-.h")), "no file called -")
    write("-b.tile", GOOD)
    check(tilec("--check", "--", "-b.tile").status == 0, "-- ends options")
    for option in ("--help", "--version", "--passes", "--ops", "--ops=markdown", "--explain=E0502",
                   "--explain=shadow"):
        result = tilec(option)
        check(result.status == 0 and result.out and not result.err, option)
    result = tilec("doctor")
    check(result.status == 0 and "nvcc" in result.out, "doctor")
    check(tilec("--stop", "a", "-d", "ta", "a.tile").err.count("(kernel k") == 1, "-d ta --stop a")
    check(tilec("-d", "all", "--check", "a.tile").status == 0, "-d all")
    check("dim 0" in tilec("-d", "m", "--check", "a.tile").err, "-d m")


def errors():
    clean()
    write("bad.tile", BAD)
    result = tilec("bad.tile", "-o", "bad.cu")
    check(result.status == 1 and result.err.startswith("bad.tile:3:"), "an error: " + result.err)
    check(os.listdir(path("")) == ["bad.tile"], "an error leaves no output")
    result = tilec("--diagnostics=json", "bad.tile")
    objects = [json.loads(line) for line in result.err.splitlines()]
    check(objects and objects[0]["kind"] == "error" and objects[0]["line"] == 3
          and objects[0]["code"] == "E0101", "json: " + result.err)
    result = tilec("--color=always", "bad.tile")
    check("\033[" in result.err, "--color=always")
    check("\033[" not in tilec("bad.tile").err, "no color in a pipe")
    write("many.tile", "".join("kernel k%d(y: f32, z) { }\n" % i for i in range(30)))
    result = tilec("many.tile")
    check(result.err.count(": error: unexpected") == 20 and "too many errors" in result.err,
          "twenty errors: %d" % result.err.count(": error: "))
    write("w.tile", WARNS)
    result = tilec("--check", "w.tile")
    check(result.status == 0 and "warning:" in result.err and "[-Wshadow]" in result.err,
          "a warning: " + result.err)
    check(not tilec("--check", "-Wno-shadow", "w.tile").err, "-Wno-shadow")
    result = tilec("--check", "-Werror", "w.tile")
    check(result.status == 1 and "error:" in result.err and "-Werror=shadow" in result.err, "-Werror")


def places():
    """Columns count characters, tabs stay, carets stand below."""
    clean()
    write("t.tile", "// é\nkernel k()\n{\n\tlet é = /* ü */ 1;\n}\n")
    result = tilec("t.tile")
    check("t.tile:4:6: error" in result.err, "a column behind a tab: " + result.err)
    check("      | \t    ^\n" in result.err, "a caret behind a tab: " + repr(result.err))
    write("t.tile", "kernel k()\n{\n    let a = /* üüü */ $;\n}\n")
    result = tilec("t.tile")
    check("t.tile:3:23: error" in result.err and " " * 22 + "^" in result.err, "characters: " + result.err)


def outputs():
    clean()
    source = write("a.tile", GOOD)
    refused(["a.tile", "-o", "a.tile"], 2, "is an input")
    os.symlink("a.tile", path("link.cu"))
    refused(["a.tile", "-o", "link.cu"], 2, "is an input")
    refused(["a.tile", "-o", "a.h"], 2, "twice")
    refused(["a.tile", "-o", "no/a.cu"], 2, "cannot write")
    check(open(source).read() == GOOD, "the input is as it was")
    check(sorted(os.listdir(path(""))) == ["a.tile", "link.cu"], "nothing half-written: "
          + " ".join(os.listdir(path(""))))
    tilec("a.tile")
    before = os.stat(path("a.cu")), os.stat(path("a.h"))
    tilec("a.tile")
    after = os.stat(path("a.cu")), os.stat(path("a.h"))
    check([s.st_mtime_ns for s in before] == [s.st_mtime_ns for s in after], "left alone if the same")
    write("a.tile", GOOD.replace("1.0", "2.0"))
    os.chmod(path("a.cu"), 0o640)
    tilec("a.tile")
    check(os.stat(path("a.cu")).st_mode & 0o777 == 0o640, "permissions stay")
    check("2.0" in read("a.cu"), "a changed output is written")
    os.mkdir(path("with space é"))
    check(tilec("a.tile", "-o", "with space é/b c.cu").status == 0
          and os.path.exists(path("with space é/b c.h")), "a path with a space")
    if os.path.exists("/dev/full"):
        refused(["a.tile", "-o", "/dev/full", "--header=f.h"], 2, "No space left")
        check(not os.path.exists(path("f.h")), "no header without its .cu")
        with open("/dev/full", "wb") as full:
            check(tilec("a.tile", "-o", "-", stdout=full).status == 2, "a full standard output")
            check(tilec("--help", stdout=full).status == 2, "--help to a full disk")
    else:
        skip("no /dev/full")


def dependencies():
    clean()
    write("used.tile", "fn twice(a: f32) -> f32 { return a + a; }\n")
    write("a b.tile", 'use "used.tile";\n' + GOOD.replace("1.0", "twice(1.0)"))
    result = tilec("a b.tile", "-MD", "-o", "x.cu")
    check(result.status == 0 and os.path.exists(path("x.d")), "-MD: " + result.err)
    if result.status == 0:
        text = read("x.d")
        check(text.startswith("x.cu x.h: a\\ b.tile \\\n  used.tile\n"), "dependencies: " + text)
        check("used.tile:\n" in text, "a used file may vanish")
    check(tilec("a b.tile", "-MF", "y.dep", "-o", "-").status == 0 and os.path.exists(path("y.dep")), "-MF")
    refused(["a b.tile", "-MF", "used.tile", "-o", "x.cu"], 2, "is an input")


def defines():
    clean()
    write("a.tile", GOOD.replace("k(", "k<B: int = 64>(").replace("i: 64", "i: B"))
    check("128" in tilec("-D", "B=128", "-o", "-", "a.tile").out, "-D NAME=VALUE")
    check("128" in tilec("-DB=128", "-o", "-", "a.tile").out, "-DNAME=VALUE")
    check("128" in tilec("-D", "k.B=128", "-o", "-", "a.tile").out, "-D KERNEL.NAME=VALUE")
    result = tilec("-D", "C=128", "--check", "a.tile")
    check(result.status == 1 and "E0901" in result.err, "-D of nothing: " + result.err)


def decisions():
    """--explain says what was decided, by line; -g maps each line of a body to the .tile file."""
    clean()
    write("a.tile", "#[order(-i)]\nkernel k(y: &mut tensor<f32, [N]> by [i: 64], x: &tensor<f32, [N]>)\n{\n"
          "    let t = x.load_like(y);\n    y.store(t - max(t));\n}\n")
    result = tilec("--explain", "--check", "a.tile")
    lines = result.err.splitlines()
    check(result.status == 0 and any(line.startswith("a.tile:5: padding: ") for line in lines),
          "--explain: " + result.err)
    check("a.tile:2: k_tile: programs are numbered along i from its last" in result.err,
          "--explain, of a kernel: " + result.err)
    check(not tilec("--check", "a.tile").err, "without --explain")
    check(tilec("-g", "a.tile", "-o", "a.cu").status == 0, "-g")
    text = read("a.cu").split("\n")
    at = next(i for i, line in enumerate(text) if "// a.tile:5 " in line)
    check(text[at + 1] == '#line 5 "a.tile"' and not text[at + 2].startswith("#"), "-g: " + text[at + 1])
    again = [i for i, line in enumerate(text) if line.endswith('"a.cu"')]
    check(again and all(text[i] == '#line %d "a.cu"' % (i + 2) for i in again), "-g, behind a body")


# What has no program of its own, or none that is short.
NO_EXAMPLE = "E0204 E0413 E0720 E0901 E0902 E0904 E1001 E1101".split()
EXAMPLE = """kernel example<BM: int = 4, BN: int = 8>(
    y: &mut tensor<f32, [M, N]> by [i: BM, j: BN], x: &tensor<f32, [M, N]>,
    v: &tensor<f32, [N]>, w: &tensor<i32, [M, N]>, a: &tensor<f32, [M, K]>, n: i32, s: f32)
{
    let t = x.load_like(y);
%s
    y.store(t);
}
"""


def explanations():
    """Each code has a text, and an example that has the code."""
    clean()
    with open(os.path.join(ROOT, "translator", "codes.def")) as f:
        codes = re.findall(r'^X\("(\w+)"', f.read(), re.M)
    check(len(codes) > 100, "codes")
    for code in codes:
        text = tilec("--explain=" + code).out
        _, _, example = text.partition("\nSuch a program:\n\n")
        if code in NO_EXAMPLE:
            continue
        if not example:
            skip("no example of " + code)
            continue
        item = re.match(r" *(use|const|fn|kernel|kernal|#\[|/\*)", example)
        write("e.tile", example if item else EXAMPLE % example)
        result = tilec("--check", "e.tile")
        tag = "[%s]" % code if code[0] == "E" else "[-W%s]" % code
        check(tag in result.err, "--explain=%s: %s%s" % (code, example, result.err))


def installed():
    """The stdlib and the emulator are found in the source tree, and beside an installed tilec."""
    out = tilec("doctor").out
    check("missing" not in "".join(out.splitlines()[:2]), "the stdlib of %s: %s" % (ROOT, out))
    clean()
    make = subprocess.run(["make", "-s", "-C", ROOT, "install", "PREFIX=" + path("usr")],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if not check(make.returncode == 0, "make install: %s" % make.stdout):
        return
    tool = path("usr/bin/tilec")
    out = subprocess.run([tool, "doctor"], stdout=subprocess.PIPE).stdout.decode()
    check("missing" not in "".join(out.splitlines()[:2]), "the installed stdlib: " + out)
    write("a.tile", "use std.nn;\n" + GOOD)
    write("Makefile", "include usr/share/tilec/tile.mk\nall: a.cu\n.PHONY: all\n")
    for turn in range(2):
        make = subprocess.run(["make", "-s", "-C", path(""), "all", "TILEC=" + tool],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        check(make.returncode == 0 and not make.stdout and "nn.tile" in read("a.d"),
              "tile.mk: %s" % make.stdout)


def run():
    wrong_command_lines()
    good_command_lines()
    errors()
    places()
    outputs()
    dependencies()
    defines()
    decisions()
    explanations()
    installed()
