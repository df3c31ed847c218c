#!/usr/bin/env python3
"""Every kind of diagnostic is expected by a test of the tool: check_diagnostics.py ROOT.

The sources declare kinds as `DiagnosticKind kName = {"id", Severity::kError, "text"}`. A kind counts as expected when a line
of a lit test that is checked (of FileCheck, or an expected-* comment) holds its id in brackets, the longest piece of its
text between placeholders, or all of them in order; lit proves that the line comes true. What no input of the tool shows with its
id is listed below with the reason and the place that tests it instead. A kind that nothing expects fails the check, and so
does a line of the list that is not needed.
"""
import os
import re
import sys

DECLARATION = re.compile(r'DiagnosticKind\s+k\w+\s*=?\s*\{\s*"([^"]+)"\s*,\s*Severity::k\w+\s*,\s*((?:"(?:[^"\\]|\\.)*"\s*|R"\((?:.|\n)*?\)"\s*)+)')
STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
CHECKED = re.compile(r"expected-(error|warning|note|remark)|^\W*[A-Z][A-Z0-9_-]*:")
# Shorter pieces of text say too little.
SHORTEST = 12
# Kinds that no lit test can show, why, and what in which file tests them.
ELSEWHERE = {
    "bad-config-value": ("the tool checks --config before", "test/pass/pass_test.cpp", "expects an integer, not 'deep'"),
    "unknown-config-option": ("the tool checks --config before", "test/pass/pass_test.cpp", "unknown config option"),
    "unknown-format": ("the tool checks formats before", "test/driver/session_test.cpp", "there is no format 'dott'"),
    "no-required-pass": ("rows of passes require what exists", "test/pass/pass_test.cpp", "requires the pass 'NoSuchPass'"),
    "plugin-version": ("needs a plugin of another version", "test/pass/plugin_test.cpp", '"plugin-version"'),
    "plugin-failed": ("needs a plugin that throws", "test/pass/plugin_test.cpp", '"plugin-failed"'),
    "plugin-incomplete": ("needs a plugin that is at fault", "test/pass/plugin_test.cpp", '"plugin-incomplete"'),
    "plugin-not-registered": ("needs a plugin that is at fault", "test/pass/plugin_test.cpp", '"plugin-not-registered"'),
    "pattern-rewrite-no-end": ("callbacks are written by programs", "test/relay/pattern/matcher_test.cpp", '"pattern-rewrite-no-end"'),
    "graph": ("objects are made by programs", "test/graph/faces_test.cpp", '"graph"'),
    "call-failed": ("packed functions are called by programs", "test/object/object_test.cpp", "expects 2 arguments, but 1"),
    "no-function-body": ("text calls what it defines", "test/relay/eval/program_test.cpp", "function @nothing has no body"),
    "storage-units": ("text gives every access a handle", "test/tir/transforms/refused_test.cpp", '"storage-units: '),
    "match-buffer-alignment": ("reading text checks it before", "test/tir/transforms/refused_test.cpp", '"match-buffer-alignment: '),
    "target-tag-exists": ("the tool registers no tags", "test/target/target_test.cpp", "exists already"),
    "target-syntax": ("a part of other messages", "lit-tests/tir/text/targets-are-checked.test", "the target has no kind"),
    "bad-tensor-file": ("a part of other messages", "lit-tests/run/refuses-damaged-archives.relay", "this is no .npz archive"),
    "lsp-rename": ("asked by editors", "test/lsp/check_lsp.py", "test_rename_to_a_name_that_exists_is_refused"),
    "lsp-format": ("asked by editors", "test/lsp/check_lsp.py", "test_formatting_removes_no_comments"),
    "lsp-run": ("asked by editors", "test/lsp/check_lsp.py", "test_unknown_pipeline_is_an_error"),
    "too-many-operands": ("takes a text of 400 MB, which no test reads", None, None),
}


def files(root, folders, endings):
    for folder in folders:
        for where, _, names in sorted(os.walk(os.path.join(root, folder))):
            for name in sorted(names):
                if name.endswith(endings):
                    with open(os.path.join(where, name), encoding="utf-8", errors="replace") as file:
                        yield os.path.join(where, name), file.read()


def declared(root):
    """The texts of each id. Passes and faults that the tests themselves bring are no part of the product."""
    kinds = {}
    for path, source in files(root, ("include", "lib"), (".h", ".cpp")):
        if "check/testing" in path:
            continue
        for found in DECLARATION.finditer(source):
            text = "".join(STRING.findall(found[2])).replace('\\"', '"').replace("\\n", "\n")
            kinds.setdefault(found[1], []).append(text)
    return kinds


def pieces(text):
    """What stands between placeholders, as it is printed."""
    marked = text.replace("{{", "\1").replace("}}", "\2")
    return [piece.replace("\1", "{").replace("\2", "}") for piece in re.split(r"\{[^}]*\}", marked)]


def main():
    root = os.path.abspath(sys.argv[1])
    checked = "\n".join(line for _, text in files(root, ("lit-tests",), (".relay", ".test", ".py"))
                        for line in text.split("\n") if CHECKED.search(line))
    kinds = declared(root)

    def is_shared(piece, kind):
        return any(piece in text for other in kinds if other != kind for text in kinds[other])

    def is_expected(kind):
        for text in kinds[kind]:
            parts = [piece.split("\n")[0] for piece in pieces(text)]
            longest = max(parts, key=len)
            if len(longest) >= SHORTEST and longest in checked and not is_shared(longest, kind):
                return True
            if sum(map(len, parts)) >= SHORTEST and re.search(".*".join(map(re.escape, parts)), checked):
                return True
        return any(form in checked for form in (f"[{kind}]", f"'{kind}'"))

    def is_tested_elsewhere(kind):
        _, path, text = ELSEWHERE[kind]
        if path is None:
            return True
        with open(os.path.join(root, path), encoding="utf-8") as file:
            return text in file.read()

    faults = [f"no test expects [{kind}]" for kind in sorted(kinds) if kind not in ELSEWHERE and not is_expected(kind)]
    for kind in sorted(ELSEWHERE):
        if kind not in kinds or is_expected(kind):
            faults.append(f"[{kind}] need not be listed: a lit test expects it, or it is gone")
        elif not is_tested_elsewhere(kind):
            faults.append(f"[{kind}] is no longer tested by {ELSEWHERE[kind][1]}")
    print("".join(fault + "\n" for fault in faults) + f"{len(kinds)} kinds of diagnostics, {len(ELSEWHERE)} of them tested without lit")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
