"""Recorded cases: how they are stored, and how relayopt is run on one. README.md describes the format."""
import base64
import contextlib
import dataclasses
import gzip
import json
import os
import re
import subprocess
import tempfile

import compare

SETS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "sets")
SUFFIX = ".jsonl.gz"


def set_names():
    """Returns the names of all sets, sorted."""
    return sorted(name[: -len(SUFFIX)] for name in os.listdir(SETS) if name.endswith(SUFFIX))


def read_set(name):
    """Yields the cases of a set as dictionaries."""
    with gzip.open(os.path.join(SETS, name + SUFFIX), "rt") as lines:
        yield from map(json.loads, lines)


def find_case(case_id):
    """Returns the case SET/NUMBER. Raises KeyError if there is none."""
    name = case_id.split("/")[0]
    if name in set_names():
        for case in read_set(name):
            if case["id"] == case_id:
                return case
    raise KeyError(case_id)


def input_name(case):
    """Returns the name of the input file, or None if the input is text on standard input."""
    return case["file"] if "in_b64" in case else None


def command(tool, case, folder="."):
    """Returns the command line for a case whose files are in `folder`."""
    words = [tool]
    if case["passes"]:
        words.append("--passes=" + case["passes"])
    words += case.get("flags", [])
    if "inputs" in case:
        words.append("--inputs=" + os.path.join(folder, "in.npz"))
    if case.get("compare") == "outputs":
        words += ["-o", os.path.join(folder, "out.npz")]
    name = input_name(case)
    return words + [os.path.join(folder, name) if name else "-"]


def write_files(case, folder):
    """Writes the files that the command of a case reads."""
    files = {input_name(case): case.get("in_b64"), "in.npz": case.get("inputs")}
    for name, data in files.items():
        if name and data:
            with open(os.path.join(folder, name), "wb") as file:
                file.write(base64.b64decode(data))


@contextlib.contextmanager
def workspace(case):
    """A folder with the files of a case; the current folder for a case without files."""
    if input_name(case) is None:
        yield "."
        return
    with tempfile.TemporaryDirectory() as folder:
        write_files(case, folder)
        yield folder


@dataclasses.dataclass
class Outcome:
    """What a run gave. `kind` is same, differs, rejected (an error where text was expected), accepted (text where an error
    was expected), crash or timeout."""

    kind: str
    stdout: str = ""
    stderr: str = ""


def run(tool, case, timeout):
    """Runs a case and returns its Outcome. `timeout` is in seconds."""
    with workspace(case) as folder:
        try:
            done = subprocess.run(command(tool, case, folder), input=case.get("in", "").encode(), capture_output=True, timeout=timeout)
        except subprocess.TimeoutExpired:
            return Outcome("timeout")
        arrays = None
        written = os.path.join(folder, "out.npz")
        if case.get("compare") == "outputs" and os.path.exists(written):
            with open(written, "rb") as file:
                arrays = file.read()
    stdout, stderr = done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
    if case["out"] is None:
        refused = done.returncode == 1 and re.search("error", stderr) and not stdout
        kind = "same" if refused else {0: "accepted", 1: "differs"}.get(done.returncode, "crash")
        return Outcome(kind, stdout, stderr)
    if done.returncode != 0:
        return Outcome("rejected" if done.returncode == 1 else "crash", stdout, stderr)
    how = case.get("compare", "text")
    if how == "stable":
        again = run(tool, {**case, "in": stdout, "out": stdout, "compare": "bytes"}, timeout)
        return Outcome(again.kind, stdout, again.stderr)
    if how == "outputs":
        why = "no out.npz was written" if arrays is None else compare.why_arrays_differ(arrays, base64.b64decode(case["outputs"]))
        return Outcome("differs" if why else "same", stdout, stderr + (why + "\n" if why else ""))
    return Outcome("same" if compare.TEXTS[how](stdout, case["out"]) else "differs", stdout, stderr)
