"""robust.py -- whatever the text is, tilec accepts it or says what is wrong: no crash, no hang"""
import glob
import random

from common import EXAMPLES, check, survives

KERNEL = "kernel f(y: &mut tensor<f32, [N]> by [i: 8])\n{\n%s}\n"


def body(text):
    return KERNEL % text


def cut_anywhere():
    """An example that ends in the middle."""
    random.seed(1)
    for name in sorted(glob.glob(EXAMPLES + "/*.tile")):
        with open(name, "rb") as f:
            text = f.read()
        for at in sorted(random.sample(range(len(text)), min(25, len(text)))):
            survives(text[:at], "%s cut at %d" % (name, at))


def damaged():
    """A byte that is another one, missing or twice; two pieces swapped."""
    random.seed(2)
    for name in sorted(glob.glob(EXAMPLES + "/*.tile")):
        with open(name, "rb") as f:
            text = f.read()
        for turn in range(12):
            at = random.randrange(len(text))
            byte = bytes([random.choice(b"\0\x01\t\n\r {}()[]<>;,.:=+-*/&|\"'#_09azAZ\x80\xc3\xff")])
            rest = [byte + text[at + 1:], text[at + 1:], text[at:at + 1] * 2 + text[at + 1:]][turn % 3]
            survives(text[:at] + rest, "%s damaged at %d" % (name, at))


def line_ends():
    with open(EXAMPLES + "/04_softmax.tile", "rb") as f:
        text = f.read()
    for end in (b"\r\n", b"\r"):
        result = survives(text.replace(b"\n", end), "line ends %r" % end)
        check(result.status == 0, "line ends %r: %s" % (end, result.err))
    result = survives(b"\xef\xbb\xbf" + text, "byte order mark")
    check(result.status == 0, "byte order mark: " + result.err)
    result = survives(b"\xef\xbb\xbfkernal f() { }", "byte order mark, error")
    check(":1:1: error" in result.err, "columns do not count the mark: " + result.err)


def odd_texts():
    survives(b"", "empty")
    survives(b"\0" * 1000, "NUL bytes")
    survives(bytes(range(256)) * 20, "all bytes")
    survives(b"/*" * 50000, "comments that do not end")
    survives(b"\xff" * 1000000, "a line of 1 MB that is no text")
    survives(body("    let x = %s;\n" % ("a" * 1000000)), "a name of 1 MB")
    survives(body("    let x = %s;\n" % ("1" * 1000000)), "a number of 1 MB")
    survives(body("    let x = \"%s\";\n" % ("a" * 1000000)), "a string of 1 MB")
    result = survives(body("    let x = %s$;\n" % ("a + " * 100)), "an error in a long line")
    check(all(len(line) < 130 for line in result.err.splitlines()), "a long line is cut")
    survives(body("    y.store(%s);\n" % ", ".join(["0"] * 100000)), "100000 arguments")
    survives("\n".join("const C%d = %d;" % (i, i) for i in range(20000)), "20000 consts")


def nested():
    """Deep nesting is refused with a place, once."""
    for n in (100, 1000, 100000):
        cases = {
            "parentheses": body("    let x = %s1%s;\n" % ("(" * n, ")" * n)),
            "open parentheses": body("    let x = %s" % ("(" * n)),
            "brackets": body("    let x = %s1%s;\n" % ("[" * n, "]" * n)),
            "minus": body("    let x = %s1;\n" % ("-" * n)),
            "not": body("    let x = %strue;\n" % ("!" * n)),
            "sum": body("    let x = 1%s;\n" % (" + 1" * n)),
            "powers": body("    let x = 1%s;\n" % (" as f32" * n)),
            "members": body("    let x = y%s;\n" % (".t" * n)),
            "calls": body("    let x = y%s;\n" % ("()" * n)),
            "choices": body("    let x = %s1;\n" % ("true ? 1 : " * n)),
            "if": body("%s%s" % ("if true { " * n, "} " * n)),
            "for": body("%s%s" % ("for k in 0..2 { " * n, "} " * n)),
            "blocks": body("%s%s" % ("{ " * n, "} " * n)),
            "else if": body("if true { } %s" % ("else if true { } " * n)),
            "types": "fn f(x: %sf32%s) { }\n" % ("tile<" * n, ", [1]>" * n),
            "lambdas": body("    let x = reduce(y, %s1);\n" % ("|a, b| " * 1 + "f(|a, b| " * n)),
            "comments": "/*" * n + "*/" * n + body("    y.store(0);\n"),
        }
        for name, text in cases.items():
            result = survives(text, "%d %s" % (n, name))
            if n == 100000 and name not in ("else if", "comments", "calls"):
                check(result.err.count("E1101") == 1, "%d %s: %s" % (n, name, result.err[:300]))


def large_tiles():
    """The text does not grow with the tile; a tile that is too large is refused, in no time."""
    text = """#[threads(128)]
kernel f(y: &mut tensor<f32, [M, N]> by [i: 1, j: %d], x: &tensor<f32, [M, N]>)
{
    let e = exp(x.load_like(y));
    y.store(e / sum(e, axis = 1, keepdims = true));
}
"""
    lengths = []
    for n in (1024, 4096, 16384):
        result = survives(text % n, "a tile of %d" % n, "-o", "-")
        lengths.append(result.out.count("\n"))
    check(0 < max(lengths) < 1.2 * min(lengths), "the text grows with the tile: %r" % lengths)
    for n in (1 << 20, 1 << 31, 1 << 62):
        result = survives(text % n, "a tile of %d" % n, "-o", "-", seconds=5)
        check(result.status == 1 and ": error: " in result.err, "a tile of %d: %s" % (n, result.err[:300]))


def run():
    large_tiles()
    cut_anywhere()
    damaged()
    line_ends()
    odd_texts()
    nested()
