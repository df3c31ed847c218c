#!/usr/bin/env python3
"""Packs the tool for browsers: pack.py relayopt.wasm FOLDER writes FOLDER/relayopt.html, one file that needs no server,
and FOLDER/npm, a module for JavaScript."""
import base64
import gzip
import json
import pathlib
import re
import shutil
import sys

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parents[1]
PACKAGE = ["index.mjs", "index.d.ts", "messages.mjs", "wasi.mjs"]
# What the page offers, the first one opened.
EXAMPLES = {
    "resnet-18.relay": ROOT / "test/networks/resnet-18.relay",
    "mlp.relay": ROOT / "test/networks/mlp.relay",
    "scale_and_add.py": HERE / "scale_and_add.py",
}


def join_modules(*names):
    """Returns modules as one script, each before those that import it."""
    script = "".join((HERE / name).read_text() for name in names)
    return re.sub(r"^export ", "", re.sub(r"^import .*\n", "", script, flags=re.M), flags=re.M)


def inline(text):
    """Returns JSON that no HTML parser takes for the end of its element."""
    return json.dumps(text).replace("</", "<\\/")


def make_page(wasm):
    data = {
        "wasm": base64.b64encode(gzip.compress(wasm, mtime=0)).decode(),
        "worker": join_modules("wasi.mjs", "messages.mjs", "index.mjs", "worker.mjs"),
        "examples": {name: path.read_text() for name, path in EXAMPLES.items()},
    }
    parts = {
        "/*STYLE*/": (ROOT / "lib/report/viewer/viewer.css").read_text() + (HERE / "page.css").read_text(),
        "/*SCRIPT*/": join_modules("messages.mjs", "page.mjs"),
        "/*DATA*/": inline(data),
    }
    page = (HERE / "page.html").read_text()
    return re.sub(r"/\*[A-Z]+\*/", lambda part: parts[part[0]], page)


def describe_package():
    """Returns package.json with the version of the project."""
    version = re.search(r"^project\(relayopt VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(), re.M)[1]
    return json.dumps({"version": version, **json.loads((HERE / "package.json").read_text())}, indent=2) + "\n"


def main():
    wasm, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    package = folder / "npm"
    package.mkdir(parents=True, exist_ok=True)
    for name in PACKAGE:
        shutil.copy(HERE / name, package)
    (package / "package.json").write_text(describe_package())
    shutil.copy(wasm, package / "relayopt.wasm")
    (folder / "relayopt.html").write_text(make_page(wasm.read_bytes()))


if __name__ == "__main__":
    main()
