"""large.py -- programs of many or deeply nested parts: translated or refused in time, on a small stack"""
import os
import resource
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TILEC = os.path.abspath(os.environ.get("TILEC") or os.path.join(ROOT, "build", "tilec"))
STACK, MEMORY = 1 << 20, 2 << 30
SECONDS = 20                                       # each takes less than one on a quiet machine


def body(text, before=""):
    return before + ("kernel f(y: &mut tensor<f32, [N]> by [i: 8], x: &tensor<f32, [N]>, n: i32)\n{\n"
                     "    let t = x.load_like(y);\n    let mut a = t;\n    let mut c = n;\n%s\n"
                     "    y.store(a + (c as f32));\n}\n" % text)


def times(n, text):
    """The text n times; # is the turn, % the one before."""
    return "".join(text.replace("#", str(i + 1)).replace("%", str(i)) for i in range(n))


def chain(n, last, rest):
    """Functions h0 .. that call the one before."""
    head = "fn h#(a: tile<f32, [8]>) -> tile<f32, [8]> { return %s; }\n"
    return head.replace("#", "0") % last + "".join(
        head.replace("#", str(i)) % rest.replace("%", str(i - 1)) for i in range(1, n))


def listed(n, text, separator=", "):
    return separator.join(text.replace("#", str(i)) for i in range(n))


def accepted():
    """Long programs that are right."""
    n = 1000
    yield "statements", body("a += t;\n" * n)
    yield "doubled values", body("let b0 = t;" + times(n, "let b# = b% * b%;\n") + "a = b%d;" % n)
    yield "doubled numbers", body("let b0 = n;" + times(n, "let b# = min(b%, b% + 1);\n") + "c = b%d;" % n)
    yield "chosen numbers", body("let b0 = n;" + times(n, "let b# = b% > 3 ? b% : b% - 7;\n") + "c = b%d;" % n)
    yield "sums", body(times(n // 2, "a = a - sum(a * #.0, axis = 0, keepdims = true);\n"))
    yield "ifs", body("if n > 1 { a = a + a; } else { a = a * a; }\n" * (n // 4))
    yield "loops", body("for k in 0..n { a += 1.0; }\n" * (n // 4))
    yield "else ifs", body("if n == 0 { a += 1.0; }" + times(200, " else if n == # { a += #.0; }"))
    yield "kernels", times(n, "kernel k#(y: &mut tensor<f32, [N]> by [i: 8]) { y.store(1.0); }\n")
    yield "numbers passed", ("kernel f(y: &mut tensor<f32, [N]> by [i: 8], %s)\n{\n    y.store(a1);\n}\n"
                             % listed(n, "a#: f32"))
    yield "tensors passed", ("kernel f(y: &mut tensor<f32, [N]> by [i: 8], %s)\n{\n    let mut s = zeros([8], f32);\n"
                             "%s    y.store(s);\n}\n" % (listed(200, "a#: &tensor<f32, [N]>"),
                                                         listed(200, "s += a#.load_like(y);\n", "")))
    yield "carried", body(times(100, "let mut b# = t * #.0;\n") + "for k in 0..n {\n"
                          + times(100, "b# += a;\n") + "}\n" + times(100, "a += b#;\n"))
    yield "views", body("let v0 = x[0..+N];\n" + times(200, "let v# = v%[1..];\n") + "a += v200.load([0], [8]);")
    yield "calls", body("a = h20(t);", chain(21, "a + 1.0", "h%(a)"))
    yield "ifs in ifs", body(times(100, "if n > # { a = a * 2.0; ") + "} else { a = -a; }" * 100)
    yield "for in for", body(times(60, "for k# in 0..n { ") + "a += t;" + "}" * 60)
    yield "while in while", body(times(60, "while c > # { c = c - 1; ") + "}" * 60)


def refused():
    """Programs beyond a limit: one error, with a place and the limit or what is allowed."""
    n = 10000
    yield "parentheses", body("a = %st%s;" % ("(" * n, ")" * n))
    yield "minus", body("a =%s t;" % (" -" * n))
    yield "sum to the left", body("a = t%s;" % (" + t" * n))
    yield "sum to the right", body("a = %st%s;" % ("t + (" * n, ")" * n))
    yield "conditions", body("if n > 0%s { a = t; }" % (" && n > 1" * n))
    yield "choices", body("a = t * (%s1.0);" % ("n > 1 ? 2.0 : " * n))
    yield "calls in calls", body("a = %st%s;" % ("exp(" * n, ")" * n))
    yield "casts", body("a = t%s;" % (" as f16 as f32" * n))
    yield "brackets of views", body("let v = x%s;" % ("[0..+8]" * n))
    yield "else ifs", body("if n == 0 { a += 1.0; }" + times(n, " else if n == # { a += #.0; }"))
    yield "for in for", body(times(n, "for k# in 0..n { ") + "}" * n)
    yield "blocks", body("if true { " * n + "}" * n)
    yield "types", "fn f(x: %sf32%s) { }\n" % ("tile<" * n, ", [1]>" * n)
    yield "lambdas", body("a = reduce(t, 0.0, %s1.0);" % ("|a, b| " * n))
    yield "extents", "kernel f(y: &mut tensor<f32, [%s]> by [i: 1])\n{\n    y.store(1.0);\n}\n" % listed(1000, "N#")
    yield "a shape", body("let z = zeros([%s], f32);" % listed(1000, "1"))
    yield "formula", "kernel f(y: &mut tensor<f32, [%s]> by [i: 1])\n{\n    y.store(1.0);\n}\n" % ("N + " * n + "1")
    yield "doubling calls", body("a = h60(t);", chain(61, "a + 1.0", "h%(a) + h%(a)"))
    yield "doubling consts", "const C0 = 1;\n" + times(100, "const C# = C% + C%;\n") + body("")
    yield "lists", ("kernel f<%s>(y: &mut tensor<f32, [N]> by [i: 8])\n{\n    y.store(1.0);\n}\n"
                    % listed(20, "B#: bool in [true, false]"))
    yield "a number", body("a = t + %s.0;" % ("1" * 100000))
    yield "a name", body("a = %s;" % ("b" * 1000000))


def limits():
    resource.setrlimit(resource.RLIMIT_STACK, (STACK, STACK))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def translate(text, folder):
    with open(os.path.join(folder, "t.tile"), "w") as f:
        f.write(text)
    try:
        done = subprocess.run([TILEC, "t.tile", "-o", "t.cu"], cwd=folder, stderr=subprocess.PIPE,
                              timeout=SECONDS, preexec_fn=limits)
    except subprocess.TimeoutExpired:
        return "more than %d s" % SECONDS, ""
    return done.returncode, done.stderr.decode("utf-8", "replace")


def main():
    bad = 0
    with tempfile.TemporaryDirectory(prefix="tilec-large-") as folder:
        for name, text in accepted():
            status, err = translate(text, folder)
            if status != 0 or ": error" in err:
                bad += 1
                print("large: %s: %s %s" % (name, status, err[:300]))
        for name, text in refused():
            status, err = translate(text, folder)
            if status != 1 or not err.startswith("t.tile:") or "\n" not in err or len(err) > 4000:
                bad += 1
                print("large: %s, to be refused: %s %s" % (name, status, err[:300]))
    sys.exit(1 if bad else 0)


main()
