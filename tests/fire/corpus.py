#!/usr/bin/env python3
"""corpus.py -- what the fuzzer starts from: the .tile files of the project, kernel by kernel, and its words

usage: corpus.py DIR     writes DIR/words.dict, and DIR/corpus/
"""
import glob
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TILES = ("examples/*.tile", "stdlib/*/*.tile", "bench/kernels/*.tile", "tests/*/*.tile", "tests/*/*/*.tile")


def read(name):
    with open(os.path.join(ROOT, name), "rb") as f:
        return f.read()


def words():
    """Of the language: its keywords and signs, operations, functions, types, methods."""
    found = set(re.findall(r'"([^"\\\s]+)"\s*\{ IS\(', read("grammar/tile.re").decode()))
    found.update(re.findall(r"^OP\((\w+)", read("translator/ops.def").decode(), re.M))
    for usage in re.findall(r'^FUNCTION\("((?:[^"\\]|\\.)*)"', read("translator/functions.def").decode(), re.M):
        found.update(re.findall(r"[A-Za-z_]\w*", usage))
    found.update(re.findall(r'= \{"(\w+)",', read("translator/elem.c").decode()))
    for name in glob.glob(os.path.join(ROOT, "examples", "*.tile")):
        found.update(re.findall(r"\.\w+\(|#\[\w+", read(name).decode()))
    return sorted(found)


def programs(text):
    """A file kernel by kernel, each with all that is no kernel."""
    items = re.split(rb"(?m)^(?=(?:#\[|kernel |fn |const |use |simt |pipeline ))", text)
    merged = [items[0]]
    for item in items[1:]:
        attribute = merged[-1].startswith(b"#[") and not re.search(rb"(?m)^\}", merged[-1])
        if attribute:
            merged[-1] += item
        else:
            merged.append(item)
    is_kernel = [re.match(rb"(?:#\[.*\]\s*)*kernel ", item) is not None for item in merged]
    if sum(is_kernel) < 2:
        return [text]
    return [b"".join(other for k, other in enumerate(merged) if k == i or not is_kernel[k])
            for i in range(len(merged)) if is_kernel[i]]


def main(folder):
    corpus = os.path.join(folder, "corpus")
    os.makedirs(corpus, exist_ok=True)
    with open(os.path.join(folder, "words.dict"), "w") as f:
        f.writelines('"%s"\n' % word.replace("\\", "\\\\").replace('"', '\\"') for word in words())
    for tiles in TILES:
        for path in sorted(glob.glob(os.path.join(ROOT, tiles))):
            name = os.path.relpath(path, ROOT).replace("/", "-")[:-len(".tile")]
            for i, program in enumerate(programs(read(path))):
                with open(os.path.join(corpus, "%s-%d" % (name, i)), "wb") as f:
                    f.write(program)


main(sys.argv[1])
