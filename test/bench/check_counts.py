#!/usr/bin/env python3
"""Checks that no instruction count of a fixed set has grown: check_counts.py RELAYOPT RELAYOPT_SCALE COUNTS [--update].

COUNTS is a file of lines `COUNT NAME`. A count that is more than TOLERANCE above its line is a fault; one that is as far below says that the
file should be updated. The counts are those of one compiler and one C library, which the first line names: elsewhere the test is skipped.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

from measure import instructions, pipeline_instructions
from table import SHAPES, Table

import check_scale

TOLERANCE = 0.03
SKIPPED = 77
SIZE = 1_000
# What is counted on each shape of programs beside reading and printing it: some passes of each kind, by themselves.
PASSES = ["DeadCodeElimination", "FoldConstant", "EliminateCommonSubexpr", "ToANormalForm", "FuseOps", "default<O3>"]
# Programs as TVMScript, which are read and printed.
SCRIPTS = [check_scale.statements, check_scale.tensor_blocks, check_scale.allocations]


# A model whose cost is that of its weights: 8-bit ones that stay 8-bit, and floats that no pass changes.
WEIGHTS = """#[version = "0.0.5"]
def @main(%x: Tensor[(1, 512), float32], %weight: Tensor[(512, 512), float32]) {
  %0 = cast(multiply(%weight, 100f), dtype="int8");
  %1 = nn.dense(%x, qnn.dequantize(%0, 0.01f, 0, out_dtype="float32", axis=0), units=512);
  nn.dense(nn.relu(%1), %weight, units=512)
}
"""


def environment(tool):
    """The compiler of the tool and the C library that runs it."""
    comment = subprocess.run(["readelf", "-p", ".comment", tool], capture_output=True, text=True, check=False).stdout
    compiler = re.findall(r"GCC: \([^)]*\) [0-9.]+|clang version [0-9.]+", comment)
    return f"{compiler[0] if compiler else 'unknown compiler'}, {' '.join(os.confstr('CS_GNU_LIBC_VERSION').split())}"


def measure(tool, scale):
    with tempfile.TemporaryDirectory() as folder:
        table = Table(tool, folder, "", False)
        for shape in SHAPES:
            count, why = instructions(tool, "-o", "/dev/null", table.program(shape, SIZE))
            if count is None:
                sys.exit(f"reading and printing {shape}: {why}")
            yield f"read and print on {shape}", count
            for name, (count,) in pipeline_instructions(scale, [table.program(shape, SIZE)], PASSES).items():
                if not count:
                    sys.exit(f"{name} fails on {shape}")
                yield f"{name} on {shape}", count
        for script in SCRIPTS:
            count, why = instructions(tool, "-o", "/dev/null", table.file(f"{script.__name__}.py", script(SIZE)))
            if count is None:
                sys.exit(f"reading and printing {script.__name__}: {why}")
            yield f"read and print on {script.__name__.replace('_', ' ')}", count
        # Without weights and with names of its own for each node, so that the figure is one of nodes.
        nodes = os.path.join(folder, "nodes.onnx")
        subprocess.run([tool, table.program("network", SIZE), "-q", "-w", "-o", nodes], check=True, stderr=subprocess.DEVNULL)
        for name, args in (("ONNX in and out", ["--passes="]), ("default<onnx>", ["--passes=default<onnx>"])):
            count, why = instructions(tool, "--emit=onnx", "-o", "/dev/null", "-q", *args, nodes)
            if count is None:
                sys.exit(f"{name} on network: {why}")
            yield f"{name} on network", count
        # With the graphs of nodes as graphs of the writer, not as the bytes that they were: each must cost what is in it.
        branches = check_scale.write_model(os.path.join(folder, "branches.onnx"), check_scale.ifs(2 * SIZE))
        count, why = instructions(tool, "--emit=onnx", "-o", "/dev/null", "-q", "--passes=", "--onnx-expand", branches)
        if count is None:
            sys.exit(f"ONNX in and out on branches: {why}")
        yield "ONNX in and out on branches", count
        text, model = os.path.join(folder, "weights.relay"), os.path.join(folder, "weights.onnx")
        with open(text, "w", encoding="utf-8") as file:
            file.write(WEIGHTS)
        subprocess.run([tool, text, "--bind-params=random", "--passes=FoldConstant<no-fold_qnn>", "-q", "-o", model],
                       check=True, stderr=subprocess.DEVNULL)
        count, why = instructions(tool, "--emit=onnx", "-o", "/dev/null", "-q", "--passes=default<onnx>", model)
        if count is None:
            sys.exit(f"default<onnx> on weights: {why}")
        yield "default<onnx> on weights", count


def main():
    (tool, scale, path), update = sys.argv[1:4], "--update" in sys.argv
    if shutil.which("valgrind") is None:
        print("skipped: valgrind is not installed")
        return SKIPPED
    here = environment(tool)
    if update:
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"# {here}\n" + "".join(f"{count} {name}\n" for name, count in measure(tool, scale)))
        return 0
    with open(path, encoding="utf-8") as file:
        there, *lines = file.read().splitlines()
    if there != f"# {here}":
        print(f"skipped: the counts are those of {there[2:]}, this is {here}")
        return SKIPPED
    expected = {name: int(count) for count, name in (line.split(" ", 1) for line in lines)}
    faults = 0
    for name, count in measure(tool, scale):
        before = expected.get(name)
        if before is None or count > before * (1 + TOLERANCE):
            print(f"{name}: {count} instructions, expected {before}")
            faults += 1
        elif count < before * (1 - TOLERANCE):
            print(f"{name}: {count} instructions, better than {before}: update the file")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
