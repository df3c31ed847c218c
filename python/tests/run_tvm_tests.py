#!/usr/bin/env python3
"""Runs TVM's own Relay test files with the compatibility package and holds the result against the ledger.

run_tvm_tests.py FOLDER [PYTEST ARGUMENTS]: FOLDER holds the files (`tests/python/...`). The ledger, known_differences.toml
beside this script, names the test functions that fail, each with a reason: a failing function that it does not name is an
error, and so is a line whose function passes or is not there. Exit status 1 after an error; what pytest printed is shown then.
"""

import collections
import os
import pathlib
import subprocess
import sys
import tempfile
import tomllib
import xml.etree.ElementTree

HERE = pathlib.Path(__file__).resolve().parent


def environment():
    """That of processes to which `tvm` is the compatibility package."""
    path = [str(HERE.parent / "compat"), str(HERE.parent), os.environ.get("PYTHONPATH", "")]
    return dict(os.environ, PYTHONDONTWRITEBYTECODE="1", PYTHONPATH=os.pathsep.join(path))


def outcomes(folder, arguments):
    """{"file::function": set of outcomes of its cases}, and what pytest printed."""
    with tempfile.TemporaryDirectory() as scratch:
        report = pathlib.Path(scratch) / "report.xml"
        command = [sys.executable, "-m", "pytest", "-q", "-p", "tvm.testing.plugin", "-p", "no:cacheprovider",
                   f"--junitxml={report}", "--tb=short", *(arguments or ["tests"])]
        run = subprocess.run(command, cwd=folder, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                             check=False)
        if not report.exists():
            sys.exit(f"pytest ended with status {run.returncode} and no report:\n{run.stdout[-4000:]}")
        cases = list(xml.etree.ElementTree.parse(report).iter("testcase"))
    found = collections.defaultdict(set)
    for case in cases:
        kind = "passed"
        for child in case:
            kind = {"failure": "failed", "error": "failed", "skipped": "skipped"}.get(child.tag, kind)
        name = case.get("name", "").split("[")[0]
        found[f"{case.get('classname', '').replace('.', '/')}::{name}"].add(kind)
    return found, run.stdout


def main():
    folder, arguments = pathlib.Path(sys.argv[1]), sys.argv[2:]
    with open(HERE / "known_differences.toml", "rb") as file:
        ledger = tomllib.load(file)
    known = {name: reason for group in ledger.values() for name, reason in group.items()}
    found, printed = outcomes(folder, arguments)
    generated = len(ledger.get("code_generation", {}))
    passed = sum("failed" not in kinds and "passed" in kinds for kinds in found.values())
    skipped = sum(kinds == {"skipped"} for kinds in found.values())
    failed = sorted(name for name, kinds in found.items() if "failed" in kinds)
    # The gallery's pages are scripts: they have to run.
    scripts = [] if arguments else sorted((folder / "gallery").rglob("*.py"))
    broken = []
    for script in scripts:
        run = subprocess.run([sys.executable, str(script)], env=environment(), stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True, check=False)
        if run.returncode:
            broken.append(script)
            print(f"fails: {script}\n{run.stdout[-4000:]}")
    wanted = len(found) - skipped - generated
    print(f"{len(scripts) - len(broken)} of {len(scripts)} scripts of the gallery run")
    print(f"{len(found)} functions: {passed} passed, {skipped} skipped, {len(failed)} failed; "
          f"{100 * passed / max(wanted, 1):.1f} % of the {wanted} that need no generated code")
    new = [name for name in failed if name not in known]
    stale = [] if arguments else [name for name in known if "failed" not in found.get(name, ())]
    for name in new:
        print(f"fails and is not in the ledger: {name}")
    for name in stale:
        print(f"is in the ledger and does not fail: {name}")
    if new:
        print(printed[-20000:])
    return 1 if new or stale or broken else 0


if __name__ == "__main__":
    sys.exit(main())
