#!/usr/bin/env python3
"""Every kind of diagnostic is expected by a test of the tool: check_diagnostics.py ROOT.

The sources declare kinds as `DiagnosticKind kName = {"id", Severity::kError, "text"}`. A kind counts as expected when a line
of a lit test that is checked (of FileCheck, or an expected-* comment) holds its id in brackets, the longest piece of its
text between placeholders, or all of them in order; lit proves that the line comes true. Kinds that nothing expects are printed; there may be
only so many of them.
"""
import os
import re
import sys

DECLARATION = re.compile(r'DiagnosticKind\s+k\w+\s*=?\s*\{\s*"([^"]+)"\s*,\s*Severity::k\w+\s*,\s*((?:"(?:[^"\\]|\\.)*"\s*|R"\((?:.|\n)*?\)"\s*)+)')
STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
CHECKED = re.compile(r"expected-(error|warning|note|remark)|^\W*[A-Z][A-Z0-9_-]*:")
# Shorter pieces of text say too little.
SHORTEST = 12
# Lower it when there are fewer.
MOST_WITHOUT_A_TEST = 150


def files(root, folders, endings):
    for folder in folders:
        for where, _, names in sorted(os.walk(os.path.join(root, folder))):
            for name in sorted(names):
                if name.endswith(endings):
                    with open(os.path.join(where, name), encoding="utf-8", errors="replace") as file:
                        yield os.path.join(where, name), file.read()


def declared(root):
    """The texts of each id. Passes and faults that the tests themselves bring are no part of the product."""
    kinds = {}
    for path, source in files(root, ("include", "lib"), (".h", ".cpp")):
        if "check/testing" in path:
            continue
        for found in DECLARATION.finditer(source):
            text = "".join(STRING.findall(found[2])).replace('\\"', '"').replace("\\n", "\n")
            kinds.setdefault(found[1], []).append(text)
    return kinds


def pieces(text):
    """What stands between placeholders, as it is printed."""
    marked = text.replace("{{", "\1").replace("}}", "\2")
    return [piece.replace("\1", "{").replace("\2", "}") for piece in re.split(r"\{[^}]*\}", marked)]


def main():
    root = os.path.abspath(sys.argv[1])
    checked = "\n".join(line for _, text in files(root, ("lit-tests",), (".relay", ".test", ".py"))
                        for line in text.split("\n") if CHECKED.search(line))
    kinds = declared(root)

    def is_expected(kind):
        for text in kinds[kind]:
            parts = [piece.split("\n")[0] for piece in pieces(text)]
            if max(map(len, parts)) >= SHORTEST and max(parts, key=len) in checked:
                return True
            if sum(map(len, parts)) >= SHORTEST and re.search(".*".join(map(re.escape, parts)), checked):
                return True
        return f"[{kind}]" in checked

    without = sorted(kind for kind in kinds if not is_expected(kind))
    for kind in without:
        print(f"no test expects [{kind}]")
    print(f"{len(kinds)} kinds of diagnostics, {len(without)} of them without a test; at most {MOST_WITHOUT_A_TEST}")
    return 1 if len(without) > MOST_WITHOUT_A_TEST else 0


if __name__ == "__main__":
    sys.exit(main())
