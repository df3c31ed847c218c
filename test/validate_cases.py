"""Runs passes over tensor programs on what is recorded of TVM, and on the tests of passes, with --validate: the
values in memory must stay.

usage: validate_cases.py RELAYOPT [--golden FOLDER] [--set SET]... [--lit FOLDER] [--at-least N] [--limit SECONDS] [--edge]
                         [-j J]

For each set a line: programs, those that ran before and after every pass and agreed, mismatches; then why others did
not run. Exit status 1 where one differs, or fewer than N agree."""
import argparse
import collections
import concurrent.futures
import glob
import gzip
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

TALLY = re.compile(r"validate: .*: (\d+) ok .*, (\d+) mismatch.*, (\d+) not validated(?: \((.*)\))?")


def validate(tool, limit, edge, name, text, passes, flags):
    """(name, kind, detail): kind is ok, differs or skipped."""
    command = [tool, "--validate=each", *(["--validate-edge"] if edge else []), "--disable-output", "--passes=" + passes, *flags, "-"]
    # Programs that differ are written to the current folder.
    with tempfile.TemporaryDirectory() as folder:
        try:
            run = subprocess.run(command, input=text, capture_output=True, text=True, timeout=limit, cwd=folder)
        except subprocess.TimeoutExpired:
            return name, "skipped", f"takes more than {limit} s"
    for line in run.stderr.splitlines():
        if "MISMATCH" in line:
            return name, "differs", line
    tally = TALLY.search(run.stderr)
    if tally is None:
        return name, "failed", (run.stderr.strip().splitlines() or ["no output"])[0]
    if tally.group(3) != "0":
        return name, "skipped", re.sub(r" \(\d+ times\)", "", tally.group(4))
    return name, "ok", ""


def recorded(path):
    with gzip.open(path, "rt") as lines:
        for line in lines:
            case = json.loads(line)
            if case["passes"] and case.get("out") is not None and "in" in case:
                yield case["id"], case["in"], case["passes"], case["flags"]


def tests(folder):
    for path in sorted(glob.glob(os.path.join(folder, "**", "*.py"), recursive=True)):
        with open(path) as file:
            text = file.read()
        for command in re.findall(r"# RUN: %relayopt (.*?) %s", text):
            for word in shlex.split(command):
                if word.startswith("--passes="):
                    yield os.path.basename(path), text, word.removeprefix("--passes="), []


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("relayopt")
    parser.add_argument("--golden", help="folder of recorded cases")
    parser.add_argument("--set", action="append", help="only this set")
    parser.add_argument("--lit", help="folder of tests of passes")
    parser.add_argument("--at-least", type=int, default=0)
    parser.add_argument("--limit", type=int, default=20, help="seconds for one program")
    parser.add_argument("--edge", action="store_true", help="with zeros, NaN, infinities and ends of ranges, too")
    parser.add_argument("-j", type=int, default=os.cpu_count())
    options = parser.parse_args()

    sources = []
    if options.golden:
        for path in sorted(glob.glob(os.path.join(options.golden, "Tir*.jsonl.gz"))):
            name = os.path.basename(path).removesuffix(".jsonl.gz")
            if not options.set or name in options.set:
                sources.append((name, recorded(path)))
    if options.lit:
        sources.append(("tests", tests(options.lit)))

    agreed = differing = 0
    with concurrent.futures.ThreadPoolExecutor(options.j) as pool:
        for name, cases in sources:
            found = list(pool.map(lambda case: validate(os.path.abspath(options.relayopt), options.limit, options.edge, *case), cases))
            kinds = collections.Counter(kind for _, kind, _ in found)
            print(f"{name:40} {len(found):5} programs {kinds['ok']:5} agree {kinds['differs']:3} differ", flush=True)
            for reason, count in collections.Counter(d for _, k, d in found if k in ("skipped", "failed")).most_common():
                print(f"    {count:4}  {reason}")
            for case, kind, detail in found:
                if kind == "differs":
                    print(f"    {case}: {detail}")
            agreed += kinds["ok"]
            differing += kinds["differs"]
    print(f"{agreed} agree, {differing} differ")
    return 1 if differing or agreed < options.at_least else 0


if __name__ == "__main__":
    sys.exit(main())
