#!/usr/bin/env python3
"""Checks that no instruction count of a fixed set has grown: check_counts.py RELAYOPT COUNTS [--update].

COUNTS is a file of lines `COUNT NAME`. A count that is more than TOLERANCE above its line is a fault; one that is as far below says that the
file should be updated. The counts are those of one compiler and one C library, which the first line names: elsewhere the test is skipped.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

from measure import instructions
from table import SHAPES, Table

TOLERANCE = 0.03
SKIPPED = 77
SIZE = 1_000
# What is counted on each shape of programs: reading and printing, and some passes of each kind.
RUNS = ["", "DeadCodeElimination", "FoldConstant", "EliminateCommonSubexpr", "ToANormalForm", "FuseOps",
        "default<O3>"]


def environment(tool):
    """The compiler of the tool and the C library that runs it."""
    comment = subprocess.run(["readelf", "-p", ".comment", tool], capture_output=True, text=True, check=False).stdout
    compiler = re.findall(r"GCC: \([^)]*\) [0-9.]+|clang version [0-9.]+", comment)
    return f"{compiler[0] if compiler else 'unknown compiler'}, {' '.join(os.confstr('CS_GNU_LIBC_VERSION').split())}"


def measure(tool):
    with tempfile.TemporaryDirectory() as folder:
        table = Table(tool, folder, "", False)
        for shape in SHAPES:
            for name in RUNS:
                args = ["--passes=" + name] if name else []
                count, why = instructions(tool, "-o", "/dev/null", *args, table.program(shape, SIZE))
                if count is None:
                    sys.exit(f"{name} on {shape}: {why}")
                yield f"{name or 'read and print'} on {shape}", count


def main():
    tool, path, update = sys.argv[1], sys.argv[2], "--update" in sys.argv
    if shutil.which("valgrind") is None:
        print("skipped: valgrind is not installed")
        return SKIPPED
    here = environment(tool)
    if update:
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"# {here}\n" + "".join(f"{count} {name}\n" for name, count in measure(tool)))
        return 0
    with open(path, encoding="utf-8") as file:
        there, *lines = file.read().splitlines()
    if there != f"# {here}":
        print(f"skipped: the counts are those of {there[2:]}, this is {here}")
        return SKIPPED
    expected = {name: int(count) for count, name in (line.split(" ", 1) for line in lines)}
    faults = 0
    for name, count in measure(tool):
        before = expected.get(name)
        if before is None or count > before * (1 + TOLERANCE):
            print(f"{name}: {count} instructions, expected {before}")
            faults += 1
        elif count < before * (1 - TOLERANCE):
            print(f"{name}: {count} instructions, better than {before}: update the file")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
