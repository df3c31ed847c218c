#!/usr/bin/env python3
"""Counts what --validate really evaluates: check_validated.py RELAYOPT LIT-TESTS.

Every test of a pass runs with --validate, which counts what it cannot evaluate and goes on. So that this does not become
the rule, the tests in which it compares results are counted here, and those in which a pass changed the program and
nothing could be compared: the former have a floor, the latter a ceiling. Those are printed with the reason.
"""
import collections
import concurrent.futures
import os
import re
import shlex
import subprocess
import sys
import tempfile

MIN_EVALUATED = 370
MAX_NOT_EVALUATED = 30

def arguments_of(text):
    """The words of a command up to the first pipe or redirection."""
    lexer = shlex.shlex(text, posix=True, punctuation_chars="|&;<>")
    lexer.whitespace_split, lexer.commenters = True, ""
    words = []
    for word in lexer:
        if word[0] in "|&;<>":
            return words[:-1] if word[0] == ">" and words and words[-1] == "2" else words
        words.append(word)
    return words


def commands(path, scratch):
    """The arguments of the runs of the tool on the test itself that are meant to succeed."""
    with open(path, encoding="utf-8", errors="replace") as file:
        lines = [line.split("RUN:", 1)[1].strip() for line in file if "RUN:" in line]
    # A line that ends with a backslash goes on.
    for line in "\n".join(lines).replace("\\\n", " ").split("\n"):
        if not line.startswith("%relayopt") or "%s" not in line:
            continue
        text = line[len("%relayopt"):].replace("%S", os.path.dirname(path)).replace("%s", path).replace("%t", os.path.join(scratch, "t"))
        yield arguments_of(text)


def tally(tool, path):
    """How many passes agreed, and why others could not be judged, over all runs of a test."""
    agreed, reasons = 0, []
    with tempfile.TemporaryDirectory() as scratch:
        for arguments in commands(path, scratch):
            done = subprocess.run([tool, "--validate", "--validate-edge", "--max-steps=100000", *arguments, "--disable-output"], cwd=scratch,
                                  capture_output=True, text=True, errors="replace", check=False)
            for found in re.finditer(r"^validate: \d+ pass.*?: (\d+) ok .*?, (\d+) not validated(?: \((.*)\))?$", done.stderr, re.M):
                agreed += int(found[1])
                if int(found[2]):
                    reasons.append(found[3])
    return agreed, reasons


def main():
    tool, root = os.path.abspath(sys.argv[1]), os.path.join(os.path.abspath(sys.argv[2]), "transforms")
    os.environ.pop("RELAYOPT_OPTIONS", None)
    paths = sorted(os.path.join(folder, name) for folder, _, names in os.walk(root) for name in names if name.endswith(".relay"))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda path: tally(tool, path), paths))
    evaluated = sum(1 for agreed, _ in results if agreed)
    missed = [(path, reasons) for path, (agreed, reasons) in zip(paths, results) if not agreed and reasons]
    for path, reasons in missed:
        print(f"{os.path.relpath(path, root)}: {'; '.join(collections.Counter(reasons))}")
    print(f"{len(paths)} tests of passes: {evaluated} evaluated, {len(missed)} not, {len(paths) - evaluated - len(missed)} "
          "in which nothing changed or the run is meant to fail")
    if evaluated < MIN_EVALUATED or len(missed) > MAX_NOT_EVALUATED:
        print(f"at least {MIN_EVALUATED} are to be evaluated, and at most {MAX_NOT_EVALUATED} not")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
