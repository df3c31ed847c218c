#!/usr/bin/env python3
"""Runs relayopt over the recorded cases and compares with what TVM 0.15 answered.

  recorded.py --known known_differences                 all sets; exit status 1 where a case differs that is not listed,
                                                        or a listed one agrees
  recorded.py --known known_differences --every 8       a quick look
  recorded.py --set FuseOps --set Fold --failing        ids of the cases that differ, and how
  recorded.py --show FuseOps/12                         input, command and difference of one case
  recorded.py --extract FuseOps/12 FOLDER               the files of one case, to try it
  recorded.py --list                                    the sets and their sizes
"""
import argparse
import base64
import collections
import concurrent.futures
import difflib
import os
import shlex
import sys

import cases


def parse_arguments():
    parser = argparse.ArgumentParser(formatter_class=argparse.RawDescriptionHelpFormatter, description=__doc__)
    parser.add_argument("--relayopt", default="build/bin/relayopt", metavar="TOOL")
    parser.add_argument("--set", action="append", default=[], choices=cases.set_names(), metavar="SET")
    parser.add_argument("--known", metavar="FILE", help="the cases that differ for a reason")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only every N-th case")
    parser.add_argument("--failing", action="store_true", help="print the id of each case that differs")
    parser.add_argument("--timeout", type=float, default=60, metavar="SECONDS", help="for each case (default: 60)")
    parser.add_argument("-j", type=int, default=os.cpu_count() or 1, metavar="N", help="cases at a time")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--show", metavar="ID")
    parser.add_argument("--extract", nargs=2, metavar=("ID", "FOLDER"))
    return parser.parse_args()


def read_known(path):
    """Returns the reasons by id, and complaints about lines without a reason."""
    reasons, complaints = {}, []
    with open(path) as lines:
        for line in lines:
            case_id, _, reason = line.split("#")[0].strip().partition(" ")
            if case_id:
                reasons[case_id] = reason.strip()
                if not reason.strip():
                    complaints.append(f"{case_id} is listed without a reason")
    return reasons, complaints


def show(tool, case, timeout):
    outcome = cases.run(tool, case, timeout)
    print("# command:", shlex.join(cases.command(tool, case)))
    print("# input:")
    print(case.get("in") or f"{case['file']}, {len(base64.b64decode(case['in_b64']))} bytes")
    print("# outcome:", outcome.kind)
    sys.stdout.write(outcome.stderr)
    if case["out"] is None:
        print(f"# TVM reported an error:\n{case.get('err') or ''}")
        sys.stdout.write(outcome.stdout)
    elif case.get("compare") != "outputs":
        sys.stdout.writelines(difflib.unified_diff(case["out"].splitlines(True), outcome.stdout.splitlines(True), "TVM", "relayopt"))


def extract(case, folder):
    os.makedirs(folder, exist_ok=True)
    cases.write_files(case, folder)
    texts = {"expected.relay": case["out"], "input.relay": case.get("in")}
    for name, text in texts.items():
        if text:
            with open(os.path.join(folder, name), "w") as file:
                file.write(text)
    if case.get("outputs"):
        with open(os.path.join(folder, "expected.npz"), "wb") as file:
            file.write(base64.b64decode(case["outputs"]))
    print(shlex.join(cases.command("relayopt", case, folder)) + (" < input.relay" if case.get("in") else ""))


def count(counts):
    return " ".join(f"{kind} {n}" for kind, n in sorted(counts.items()) if kind != "same")


def run_all(options):
    """Runs the chosen cases, prints a line for each set, and returns whether nothing was unexpected."""
    known, complaints = read_known(options.known) if options.known else ({}, [])
    chosen = [(name, case) for name in options.set or cases.set_names() for case in cases.read_set(name)][:: options.every]
    sets = collections.defaultdict(collections.Counter)
    expected = 0
    with concurrent.futures.ThreadPoolExecutor(options.j) as pool:
        outcomes = pool.map(lambda item: cases.run(options.relayopt, item[1], options.timeout), chosen)
        for (name, case), outcome in zip(chosen, outcomes):
            sets[name][outcome.kind] += 1
            agrees = outcome.kind == "same"
            if agrees != (case["id"] in known):
                expected += 1
            elif options.known:
                complaints.append(f"{case['id']} " + ("agrees now: take it off the list" if agrees else f"{outcome.kind} and is not listed"))
            if options.failing and not agrees:
                print(f"{outcome.kind:12} {case['id']}")
    for name, counts in sorted(sets.items()):
        total = sum(counts.values())
        print(f"{name:34} {counts['same']:5} of {total:5}  {100 * counts['same'] / total:6.2f} %  {count(counts)}".rstrip())
    same = sum(counts["same"] for counts in sets.values())
    print(f"{same} of {len(chosen)} recorded cases as TVM, {len(chosen) - same} otherwise")
    for complaint in complaints:
        print(complaint)
    print(f"{expected} passed, {len(chosen) - expected} failed")
    return not complaints


def main():
    options = parse_arguments()
    if options.list:
        for name in cases.set_names():
            print(f"{name:34} {sum(1 for _ in cases.read_set(name)):5}")
        return 0
    if options.show:
        show(options.relayopt, cases.find_case(options.show), options.timeout)
        return 0
    if options.extract:
        extract(cases.find_case(options.extract[0]), options.extract[1])
        return 0
    passed = run_all(options)
    return 0 if passed or not options.known else 1


if __name__ == "__main__":
    sys.exit(main())
