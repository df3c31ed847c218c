#!/usr/bin/env python3
"""Checks that C++ files compile alone, without the files of their unity group and without precompiled headers:
check_alone.py BUILD [FILE...].

BUILD is a build folder whose sources are compiled one by one (preset `alone`): its compile_commands.json has the options. A
header is compiled with the options of a source that is near to it. Without FILE, all sources and headers are checked."""
import concurrent.futures
import json
import os
import pathlib
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ("include", "lib", "test", "tools")


def read_commands(build):
    """Returns the options and the folder of each source's compilation."""
    commands = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        if not entry["file"].endswith(".cpp"):
            continue
        words = shlex.split(entry["command"])
        cut = words.index("-o")
        # Without the compiler launcher: there is no result that it could keep.
        compiler = next(i for i, word in enumerate(words) if word.endswith("c++"))
        options = words[compiler:cut] + ["-fsyntax-only"]
        commands[pathlib.Path(entry["file"])] = (options, entry["directory"])
    return commands


def nearest(commands, header):
    """Returns the source that shares most leading folders with a header; include/relayopt/x counts as lib/x."""
    path = ROOT / "lib" / header.relative_to(ROOT / "include/relayopt") if "include" in header.parts else header
    return max(commands, key=lambda source: len(os.path.commonpath([source.parent, path.parent])))


def check(commands, path):
    """Returns what the compiler says about a file; empty if it compiles."""
    if path.suffix == ".h":
        options, folder = commands[nearest(commands, path)]
        inputs = ["-include", str(path), "-x", "c++", os.devnull]
    else:
        options, folder = commands[path]
        inputs = [str(path)]
    return subprocess.run(options + inputs, cwd=folder, capture_output=True, text=True).stderr


def main():
    commands = read_commands(pathlib.Path(sys.argv[1]))
    paths = [pathlib.Path(name).resolve() for name in sys.argv[2:]]
    if not paths:
        paths = sorted(commands) + sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.h"))
    # What the build leaves out, such as the Python extension, has no command.
    paths = [path for path in paths if path in commands or (path.suffix == ".h" and path.relative_to(ROOT).parts[0] in FOLDERS)]
    faults = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for path, message in zip(paths, pool.map(lambda path: check(commands, path), paths)):
            if message:
                print(f"{path.relative_to(ROOT)} does not compile alone:\n{message}")
                faults += 1
    print(f"{len(paths)} files checked, {faults} of which do not compile alone")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
