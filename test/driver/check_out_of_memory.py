#!/usr/bin/env python3
"""Lets the n-th allocation of a run fail, and all after it: check_out_of_memory.py TOOL LIBRARY.

Every such run says that memory is out, ends with status 1, and leaves neither an output nor a temporary file. Of a small run
every allocation fails once, of the same run on several threads, most of which it shares, and of a large one a sample."""
import os
import pathlib
import subprocess
import sys
import tempfile

SMALL = """#[version = "0.0.5"]
def @main(%x: Tensor[(2, 3), float32]) { let %a = nn.relu(%x); (add(%a, 1f), add(%a, 1f), @other(%x)) }
def @other(%x: Tensor[(2, 3), float32]) { exp(%x) }
"""
# A name, a module, arguments, and how much farther than the last allocation the next one that fails is.
RUNS = [
    ("small", SMALL, ["--passes=EliminateCommonSubexpr,FoldConstant,FuseOps"], 1),
    ("small, two threads", SMALL, ["-j2", "--passes=ToANormalForm,EliminateCommonSubexpr"], 1.02),
    ("large, four threads", None, ["-j4", "-O3"], 1.15),
]


def large():
    """Eight functions of a thousand operators."""
    functions = []
    for i in range(8):
        steps = "".join(f"  %{k + 1} = add(nn.relu({'%x' if k == 0 else f'%{k}'}), {k}f);\n" for k in range(500))
        functions.append(f"def @f{i}(%x: Tensor[(2, 3), float32]) {{\n{steps}  exp(%500)\n}}\n")
    calls = ", ".join(f"@f{i}(%x)" for i in range(8))
    return '#[version = "0.0.5"]\n' + "".join(functions) + f"def @main(%x: Tensor[(2, 3), float32]) {{ ({calls}) }}\n"


def run(tool, library, arguments, folder, limit):
    """The status and what was said when allocation `limit` is the first that fails."""
    environment = dict(os.environ, LD_PRELOAD=library, FAIL_MALLOC=str(limit))
    environment.pop("RELAYOPT_OPTIONS", None)
    done = subprocess.run([tool, *arguments, "-o", folder / "out.relay", folder / "in.relay"], env=environment,
                          capture_output=True, text=True, timeout=60)
    return done.returncode, done.stderr


def check(tool, library, name, arguments, growth, folder):
    """Tries limits from 1 until a run succeeds; the number of faults and of runs."""
    faults = runs = 0
    limit = 1
    while True:
        status, said = run(tool, library, arguments, folder, limit)
        left = sorted(path.name for path in folder.iterdir() if path.name != "in.relay")
        if status == 0:
            return (faults, runs) if left == ["out.relay"] else (faults + 1, runs)
        runs += 1
        if status != 1 or "relayopt: error: out of memory" not in said or left:
            print(f"{name}, allocation {limit}: status {status}, left {left}: {said.strip()[:200]}")
            faults += 1
        limit = max(limit + 1, int(limit * growth))


def main():
    tool, library = sys.argv[1:]
    faults = 0
    for name, module, arguments, growth in RUNS:
        with tempfile.TemporaryDirectory() as folder_name:
            folder = pathlib.Path(folder_name)
            (folder / "in.relay").write_text(module or large())
            bad, runs = check(tool, library, name, arguments, growth, folder)
            print(f"{name}: {runs} runs without memory, {bad} faults")
            faults += bad
            if runs < 20:
                print("the library has no effect")
                faults += 1
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
