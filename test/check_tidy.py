#!/usr/bin/env python3
"""Runs clang-tidy: check_tidy.py CLANG_TIDY BUILD [--since COMMIT [--most N] | FILE...].

BUILD is a build folder whose sources are compiled in groups and without precompiled headers (preset `tidy`): most of the work of
clang-tidy is reading headers, which it does once for a group. Without FILE, all sources of lib and tools are checked, else the
groups with a FILE, of which only the reports on FILEs are printed. With --since, the groups of the files that differ from COMMIT
are checked, at most N of them, and only changed lines are reported. A header is checked with a group that is near to it.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
REPORT = re.compile(r"^(/.*?):\d+:\d+: (?:warning|error): ", re.MULTILINE)
# Every line of a file, as --line-filter has it.
ALL = [[1, 1_000_000]]


def groups_of(build):
    """Returns the files of lib and tools that each source of the build contains: itself, or those of its group."""
    groups = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        source = pathlib.Path(entry["file"])
        if source.suffix != ".cpp":
            continue
        is_group = source.is_relative_to(build / "sources")
        names = re.findall(r'^#include "(.*)"$', source.read_text(), re.MULTILINE) if is_group else [os.path.relpath(source, ROOT)]
        if names[0].startswith(("lib/", "tools/")):
            groups[source] = names
    return groups


def changed_lines(commit):
    """Returns the ranges of lines that differ from a commit, by file."""
    diff = subprocess.run(["git", "diff", "-U0", "--diff-filter=d", commit, "--", "lib", "tools", "include"], cwd=ROOT,
                          capture_output=True, text=True, check=True).stdout
    lines, name = {}, ""
    for line in diff.splitlines():
        if line.startswith("+++ b/"):
            name = line[len("+++ b/"):]
        elif found := re.match(r"@@ \S+ \+(\d+)(?:,(\d+))? @@", line):
            first, count = int(found[1]), int(found[2] or 1)
            if count and name.endswith((".cpp", ".h")):
                lines.setdefault(name, []).append([first, first + count - 1])
    return lines


def nearest(groups, header):
    """Returns the group that shares most leading folders with a header; include/relayopt/x counts as lib/x."""
    folder = os.path.dirname(header.replace("include/relayopt", "lib"))
    return max(groups, key=lambda group: len(os.path.commonpath([os.path.dirname(groups[group][0]), folder])))


def reports_in(output):
    """Returns the reports of a run with their notes."""
    starts = [found.start() for found in REPORT.finditer(output)]
    return [output[start:end].rstrip() for start, end in zip(starts, [*starts[1:], len(output)])]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("clang_tidy")
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--since")
    parser.add_argument("--most", type=int, default=12)
    arguments = parser.parse_args()
    groups = groups_of(arguments.build.resolve())
    files = {os.path.relpath(name, ROOT): ALL for name in arguments.files}
    if arguments.since:
        files = changed_lines(arguments.since)
    chosen = [group for group, names in groups.items() if not files or any(name in files for name in names)]
    chosen += {nearest(groups, name): None for name in files if name.endswith(".h")}.keys() - set(chosen)
    if arguments.since:
        if not files:
            chosen = []
        if len(chosen) > arguments.most:
            print(f"skipped: changes in {len(chosen)} groups of sources; run ./dev tidy")
            return 0
    lines = [{"name": name, "lines": ranges} for name, ranges in files.items()]
    command = [arguments.clang_tidy, f"--config-file={ROOT}/.clang-tidy", "-p", str(arguments.build), "--quiet",
               "--extra-arg=-Wno-unknown-warning-option"]
    if lines:
        command.append("--line-filter=" + json.dumps(lines))
    seen = set()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        runs = [pool.submit(subprocess.run, [*command, str(group)], cwd=ROOT, capture_output=True, text=True) for group in chosen]
        for run in concurrent.futures.as_completed(runs):
            done = run.result()
            reports = reports_in(done.stdout)
            if done.returncode and not reports:
                reports = [done.stdout + done.stderr]
            # A report on a header comes with every group that includes it.
            for report in reports:
                if report not in seen:
                    seen.add(report)
                    print(report.replace(str(ROOT) + os.sep, ""), flush=True)
    print(f"{len(chosen)} groups of sources checked, {len(seen)} reports")
    return 1 if seen else 0


if __name__ == "__main__":
    sys.exit(main())
