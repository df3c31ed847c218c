#!/usr/bin/env python3
"""Lets the n-th call that writes a file fail, for every n: check_failing_writes.py TOOL LIBRARY.

Calls are those that create, write, flush, close and rename files. After each such run a file holds what it held before or what
it should hold, there is no other file, and either all files are right or the status is 1 and the reason is given. A call that
writes less than it was given is no reason to fail."""
import errno
import os
import pathlib
import subprocess
import sys
import tempfile

MODULE = """#[version = "0.0.5"]
def @main(%x: Tensor[(2, 3), float32]) { let %a = nn.relu(%x); (add(%a, 1f), add(%a, 1f)) }
"""
# A module whose text is longer than a buffer.
LONG = '#[version = "0.0.5"]\ndef @main(%x: Tensor[(2, 3), float32]) {\n' + "".join(
    f"  %{i + 1} = add(nn.relu({'%x' if i == 0 else f'%{i}'}), {i}f);\n" for i in range(3000)) + "  exp(%3000)\n}\n"
# A name, the module, and arguments whose files have the prefix `out`.
RUNS = [
    ("text", MODULE, ["-o", "out.relay"]),
    ("long text", LONG, ["-o", "out.relay"]),
    ("binary", MODULE, ["-o", "out.rlyb"]),
    ("ONNX", MODULE, ["-o", "out.onnx"]),
    ("two files", MODULE, ["-o", "out.relay", "--depfile=out.d"]),
]
OLD = b"what was here before\n"
# An error, and whether all calls after it fail, too. With 0 a call does less than it was asked for.
KINDS = [(errno.ENOSPC, True), (errno.EIO, False), (errno.EINTR, False), (0, False)]


def run(tool, folder, arguments, **settings):
    """The status and what was said."""
    environment = dict(os.environ, **settings)
    environment.pop("RELAYOPT_OPTIONS", None)
    done = subprocess.run([tool, "in.relay", *arguments], cwd=folder, env=environment, capture_output=True, text=True, timeout=60)
    return done.returncode, done.stderr


def files(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != "in.relay"}


def check(tool, library, module, arguments, exists, kind, most):
    """The number of runs with a fault in a call, `most` at most, and what was wrong."""
    error, goes_on = kind
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "in.relay").write_text(module)
        status, said = run(tool, folder, arguments)
        wanted = files(folder)
        if status != 0 or not wanted:
            return 0, [f"the run fails by itself: {said}"]
        old = {path: OLD for path in wanted} if exists else {}
        wrong = []
        for call in range(1, most + 1):
            for path in wanted:
                (folder / path).unlink(missing_ok=True)
            for path, text in old.items():
                (folder / path).write_bytes(text)
            settings = {"LD_PRELOAD": library, "FAIL_WRITE": str(call), "FAIL_WRITE_ERROR": str(error)}
            status, said = run(tool, folder, arguments, **settings, **({"FAIL_WRITE_ON": "1"} if goes_on else {}))
            found = files(folder)
            if goes_on and status == 0:
                return call - 1, wrong
            is_whole = all(found.get(path) in (wanted[path], old.get(path)) for path in wanted) and found.keys() <= wanted.keys()
            is_right = found == wanted if status == 0 else status == 1 and error != 0 and os.strerror(error) in said
            if not is_whole or not is_right:
                wrong.append(f"call {call}: status {status}, left {sorted(found)}: {said.strip()[:200]}")
    return most, wrong + (["the calls have no end"] if goes_on else [])


def main():
    tool, library = (os.path.abspath(path) for path in sys.argv[1:])
    faults = 0
    for name, module, arguments in RUNS:
        for exists in (False, True):
            calls = 1000
            for kind in KINDS:
                runs, wrong = check(tool, library, module, arguments, exists, kind, calls)
                calls = runs
                how = f"{name}, {'over files' if exists else 'new'}, {os.strerror(kind[0]) if kind[0] else 'less'}"
                print(f"{how}: {runs} runs, {len(wrong)} faults")
                if runs < 4:
                    wrong.append("the library has no effect")
                for fault in wrong:
                    print("  " + fault)
                faults += len(wrong)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
