#!/usr/bin/env python3
"""Checks that no type and no inline constant is defined twice in one namespace, and that intrinsics are named by literals
that the compiler checks: check_names.py ROOT.

The compiler sees one source at a time, and the linker merges the members of both types, or takes either constant for
both, without a word. What unnamed namespaces define belongs to its source and does not count; nor do specializations."""
import collections
import pathlib
import re
import sys

OPEN = re.compile(r"^(?:inline )?namespace\s*([\w:]*)\s*\{")
CLOSE = re.compile(r"^\}  // namespace\b")
TYPE = re.compile(r"^(?:struct|class|union|enum class|enum struct|enum)\s+(\w+)\s*(?:final\s*)?(?::[^:;][^;]*)?\{")
CONSTANT = re.compile(r"^inline const(?:expr)?\s[^={(]*?\b(\w+)(?:\[\w*\])?\s*(?:[={(]|$)")

# `Intrinsic("tir.exp")` would take any text, `Intrinsic("tir.exp"_intrin)` does not.
UNCHECKED = re.compile(r'Intrinsic\("tir\.[^"]*"(?!_intrin)')


def definitions(text):
    """The types and inline constants that a source defines outside of unnamed namespaces, with the lines."""
    namespaces = []
    for number, line in enumerate(text.splitlines(), 1):
        opened = OPEN.match(line)
        if opened:
            if not line.rstrip().endswith("}"):
                namespaces.append(opened[1])
        elif CLOSE.match(line):
            namespaces.pop()
        elif "" not in namespaces:
            defined = TYPE.match(line) or CONSTANT.match(line)
            if defined:
                yield "::".join(namespaces + [defined[1]]), number


def main():
    root = pathlib.Path(sys.argv[1])
    places = collections.defaultdict(list)
    unchecked = 0
    for folder in ("lib", "include"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".h", ".cpp"):
                text = path.read_text()
                for found in UNCHECKED.finditer(text):
                    line = text.count("\n", 0, found.start()) + 1
                    print(f"{path.relative_to(root)}:{line}: {found[0]} needs the suffix _intrin")
                    unchecked += 1
                for name, line in definitions(text):
                    places[name].append(f"{path.relative_to(root)}:{line}")
    faults = {name: where for name, where in places.items() if len(where) > 1}
    for name, where in faults.items():
        print(f"{name} is defined in {' and '.join(where)}")
    return 1 if faults or unchecked else 0


if __name__ == "__main__":
    sys.exit(main())
