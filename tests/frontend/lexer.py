"""lexer.py -- edges of tokens: what is taken, and what the message says otherwise"""
from common import check, tilec, write

TREES = {                                # an expression and its tree
    "a-1": "(- a 1)",
    "a - 1": "(- a 1)",
    "a -1": "(- a 1)",
    "a - -1": "(- a (- 1))",
    "a--1": "(- a (- 1))",
    "-1": "(- 1)",
    "1<-2": "(< 1 (- 2))",
    "f(-1)": "(call f (args (- 1)))",
    "-x as f32": "(as (- x) f32)",
    "a & b == c": "(== (& a b) c)",
    "a | b ^ c & d": "(| a (^ b (& c d)))",
    "a << 1 + b": "(<< a (+ 1 b))",
    "a ? b : c ? d : e": "(?: a b (?: c d e))",
    "a || b && c": "(|| a (&& b c))",
    "!a && ~b == c": "(&& (! a) (== (~ b) c))",
    "1e5": "1e5", "1e+5": "1e+5", "1.5e-3": "1.5e-3", "0x1F": "0x1F", "0b1_01": "0b1_01",
    "1_000": "1_000", "1_0.5": "1_0.5",
    "forx": "forx", "if_": "if_", "int32x": "int32x", "tile2": "tile2", "_x": "_x", "infx": "infx",
    "tile + step + of + by": "(+ (+ (+ tile step) of) by)",
    "x[1..8]": "(at x (list (range 1 8)))",
    "x[1 ..+ 8, ..]": "(at x (list (window 1 8) (all)))",
    "x[..8, 1..]": "(at x (list (to 8) (from 1)))",
    "(a)": "(() a)", "(a, b)": "(tuple a b)", "[]": "(list)", "[1, 2,]": "(list 1 2)",
    "int + double": "(+ int double)",
    "a /* b /* c */ */ + d // e": "(+ a d)",
    "a.t.b(c)[0]": "(at (call (. (. a t) b) (args c)) (list 0))",
    "reduce(t, init = 0, |a, b| a + b)":
        "(call reduce (args t (named init 0) (lambda (names a b) (+ a b))))",
    "reduce(t, |(v, i), (w, j)| v)":
        "(call reduce (args t (lambda (names (names v i) (names w j)) v)))",
}

ERRORS = {                               # an expression, and part of the message
    "1.": "a digit follows the point: write 1.0 [E0104]",
    ".8": "a number starts with a digit: write 0.8 [E0104]",
    "007": "a decimal number does not start with 0: write 7 [E0104]",
    "00": "a decimal number does not start with 0: write 0 [E0104]",
    "1.0f": "a number has no suffix: write 1.0 [E0104]",
    "10u": "a number has no suffix: write 10 [E0104]",
    "0x": "`0x` is not a number [E0104]",
    "0b12": "`0b12` is not a number [E0104]",
    "1e": "`1e` is not a number [E0104]",
    "1e+": "`1e+` is not a number [E0104]",
    "1__0": "`1__0` is not a number [E0104]",
    "1_": "`1_` is not a number [E0104]",
    "3d": "`3d` is not a number [E0104]",
    "i++": "there is no `++` [E0108]".replace(" [", ": write x += 1, or a + b ["),
    "\"abc": "this string has no end on its line [E0105]",
    "\"\\q\"": "no other escape [E0105]",
    "a $ b": "`$` has no meaning here [E0107]",
    "'a'": "`'` has no meaning here: a character is written as its number [E0107]",
    "é": "`é` has no meaning outside comments and strings [E0107]",
    "a < b < c": "comparisons do not chain [E0111]",
    "a == b != c": "comparisons do not chain [E0111]",
    "1..3": "unexpected `..`; expected `;` [E0101]",
    "f(a": "missing `)` before `;` [E0103]",
    "[a, b)": "missing `]` before `)` [E0103]",
    "a + ": "unexpected `;`; expected a value [E0101]",
    "a = b": "unexpected `=`; expected `;` [E0101]",
    "for": "unexpected `for`; expected a value [E0101]",
    "a.for": "`for` is a word of the language: it cannot be a name [E0110]",
    "a.inf": "`inf` is a word of the language: it cannot be a name [E0110]",
    "a b": "unexpected `b`; expected `;` [E0101]",
}

# A program, and all its errors: each mistake is reported once, at its place, and the next one too.
PROGRAMS = [
    ("kernel k(y: &mut tensor<f32 [N]> by [i: 8]) {\n    let a = ;\n}\n",
     ["1:29: error: unexpected `[`; expected `,` [E0101]", "2:13: error: unexpected `;`"]),
    ("kernal k() {\n    let a = 1;\n    let b = 2;\n}\nfn f() { let c = }\n",
     ["1:1: error: `kernal` starts no item [E0109]", "5:18: error: unexpected `}`; expected a value"]),
    ("fn f() {\n    let a = 1\n    let b = 2\n}\n",
     ["2:14: error: missing `;` after `1` [E0102]", "3:14: error: missing `;` after `2` [E0102]"]),
    ("fn f() {\n    x.store(a)\n    y.store(b)\n}\n",
     ["2:15: error: missing `;` after `)`", "3:15: error: missing `;` after `)`"]),
    ("fn f() {\n    if a {\n    b();\n\nfn g() {\n    c() d();\n}\n",
     ["5:1: error: missing `}` before `fn` [E0103]", "6:9: error: unexpected `d`"]),
    ("fn f() {\n    a();\n", ["2:9: error: missing `}` before the end of the file [E0103]"]),
    ("fn f() {\n    a();\n}\n}\nfn g() { b(] }\n",
     ["4:1: error: this `}` closes nothing [E0112]", "5:12: error: missing `)` before `]` [E0103]"]),
    ("fn f() {\n    fro k in 0..8 { a(;  }\n    b(;\n}\n",
     ["2:9: error: unexpected `k`; expected `;` or `=` [E0101]", "3:7: error: missing `)` before `;` [E0103]"]),
    ("fn f() {\n    for (int i = 0; i < 3; i += 1) { a; }\n    let = 1;\n}\n",
     ["2:9: error: unexpected `(`; expected a name", "3:9: error: unexpected `=`"]),
    ("fn f() {\n    if a < b < c { x; } else { y; }\n    float z = 1;\n}\n",
     ["2:14: error: comparisons do not chain", "3:11: error: unexpected `z`"]),
    ("let x = 1;\nconst a = 1;\nx += 2;\n",
     ["1:1: error: `let` starts no item", "3:1: error: `x` starts no item"]),
    ("fn f() {\n    /* a /* b */\n}\n", ["2:5: error: this comment has no end [E0106]"]),
    ("fn f(a: f32, ) { }\nfn g(a f32) { }\nfn h(a: f32 { }\n",
     ["2:8: error: unexpected `f32`; expected `:`", "3:13: error: missing `)` before `{`"]),
    ("#[threads(]\nkernel k() { }\n", ["1:11: error: missing `)` before `]` [E0103]"]),
]


def first_error(expression):
    return tilec("--stop", "a", write("t.tile", "fn f()\n{\n    let x = %s\n    ;\n}\n" % expression))


def run():
    for text, tree in TREES.items():
        result = tilec("--stop", "a", "-d", "a", write("t.tile", "fn f()\n{\n    let x = %s\n    ;\n}\n" % text))
        check("(let - x - %s)" % tree in result.err, "%s: %s" % (text, result.err))
    for text, message in ERRORS.items():
        result = first_error(text)
        check(result.status == 1 and message in result.err, "%s: %s" % (text, result.err))
    for text, messages in PROGRAMS:
        result = tilec("--stop", "a", write("t.tile", text))
        lines = [line for line in result.err.splitlines() if ": error: " in line]
        good = len(lines) == len(messages) and all("t.tile:" + m in line for m, line in zip(messages, lines))
        check(good, "%s\n%s" % (text, "\n".join(lines)))
