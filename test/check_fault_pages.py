#!/usr/bin/env python3
"""Checks that the tests which the pages of kinds of faults and of promises name exist."""
import pathlib
import re
import sys

PAGES = {"test/convert/onnx_faults.md": "", "test/check/relay_tir_faults.md": "tir/transforms", "test/check/attack_faults.md": "",
         "docs/reliability.md": ""}
SUFFIXES = (".relay", ".py", ".test")


def missing_tests(root, page, folder):
    """Returns the names in the last column of the page's tables that are no test."""
    tests = root / "lit-tests"
    missing = []
    for line in (root / page).read_text(encoding="utf-8").splitlines():
        if not line.startswith("| "):
            continue
        for name in re.findall(r"`([^`]+)`", line.rsplit("|", 2)[1]):
            path = name if "/" in name else f"{folder}/{name}"
            if name.startswith(("test/", "python/")):
                is_there = (root / name).is_file()
            else:
                is_there = any((tests / (path + suffix)).is_file() for suffix in SUFFIXES)
            if not is_there:
                missing.append(f"{page}: there is no test {name}")
    return missing


def main():
    root = pathlib.Path(sys.argv[1])
    missing = [text for page, folder in PAGES.items() for text in missing_tests(root, page, folder)]
    print("\n".join(missing) or "every test exists")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
