#!/usr/bin/env python3
"""Runs TVM's own Relay test files with the compatibility package and holds the result against the ledger.

run_tvm_tests.py FOLDER [--write LIST] [PYTEST ARGUMENTS]: FOLDER holds the files (`tests/python/...`). The ledger,
known_differences.toml beside this script, names the test functions that fail, each with a reason: a failing function that
it does not name is an error, and so is one that it names and that passes. Exit status 1 after an error.
"""

import collections
import os
import pathlib
import subprocess
import sys
import tomllib
import xml.etree.ElementTree

HERE = pathlib.Path(__file__).resolve().parent


def outcomes(folder, arguments):
    """{"file::function": set of outcomes of its cases}."""
    report = pathlib.Path(os.environ.get("TMPDIR", "/tmp")) / f"relayopt-tvm-tests-{os.getpid()}.xml"
    env = dict(os.environ, PYTHONPATH=os.pathsep.join([str(HERE.parent / "compat"), str(HERE.parent),
                                                       os.environ.get("PYTHONPATH", "")]))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "tvm.testing.plugin", "-p", "no:cacheprovider",
               f"--junitxml={report}", "--tb=short", *(arguments or ["tests"])]
    with open(str(report) + ".log", "w", encoding="utf-8") as log:
        subprocess.run(command, cwd=folder, env=env, stdout=log, stderr=subprocess.STDOUT, check=False)
    found = collections.defaultdict(set)
    for case in xml.etree.ElementTree.parse(report).iter("testcase"):
        place = case.get("classname", "")
        name = case.get("name", "").split("[")[0]
        kind = "passed"
        for child in case:
            kind = {"failure": "failed", "error": "failed", "skipped": "skipped"}.get(child.tag, kind)
        found[f"{place.replace('.', '/')}::{name}"].add(kind)
    return found


def main():
    folder, arguments = pathlib.Path(sys.argv[1]), sys.argv[2:]
    with open(HERE / "known_differences.toml", "rb") as file:
        ledger = tomllib.load(file)
    known = {name: reason for group in ledger.values() for name, reason in group.items()}
    found = outcomes(folder, arguments)
    passed = sum("failed" not in kinds and "passed" in kinds for kinds in found.values())
    skipped = sum(kinds == {"skipped"} for kinds in found.values())
    failed = sorted(name for name, kinds in found.items() if "failed" in kinds)
    print(f"{len(found)} functions: {passed} passed, {skipped} skipped, {len(failed)} failed")
    new = [name for name in failed if name not in known]
    stale = [name for name in known if name in found and "failed" not in found[name] and "passed" in found[name]]
    for name in new:
        print(f"fails and is not in the ledger: {name}")
    for name in stale:
        print(f"is in the ledger and passes: {name}")
    return 1 if new or stale else 0


if __name__ == "__main__":
    sys.exit(main())
