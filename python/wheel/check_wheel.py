"""Checks an installed wheel, without pytest and without the checkout: `python check_wheel.py` in its environment."""

import gzip
import lzma
import os
import shutil
import subprocess
import sys
import tempfile

import numpy as np

import relayopt

TEXT = """#[version = "0.0.5"]
def @main(%x: Tensor[(1, 3), float32], %w: Tensor[(2, 3), float32]) {
  %0 = nn.dense(%x, %w, units=2);
  add(nn.relu(%0), nn.relu(%0))
}
"""


def run(*command, **options):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, **options).stdout


def main():
    package = os.path.dirname(relayopt.__file__)
    assert package.startswith(sys.prefix), f"{package} is not the installed package"
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        before = relayopt.loads(TEXT)
        after = relayopt.run(before, "default<O3>")
        assert relayopt.equiv(before, after)
        for name in ("m.onnx", "m.relay", "m.rlyb", "m.json"):
            relayopt.save(after, name)
            assert relayopt.equiv(before, relayopt.load(name)), name
        for compress in (gzip, lzma):
            packed = compress.compress(relayopt.dumps(after).encode())
            assert relayopt.equiv(before, relayopt.loads(packed)), compress.__name__
        result = relayopt.relay.create_executor("graph", before).evaluate()(
            np.ones((1, 3), "float32"), np.ones((2, 3), "float32"))
        assert result.numpy().tolist() == [[6.0, 6.0]]
        try:
            relayopt.loads(TEXT.replace("(%x, %w,", "(%x, %v,"))
        except relayopt.DiagnosticError as error:
            assert "%v" in str(error)
        else:
            raise AssertionError("an error is no exception")

        tool = shutil.which("relayopt")
        assert tool is not None and tool.startswith(sys.prefix), f"{tool} is not the tool of the wheel"
        version = run(tool, "--version").split()[1]
        assert version == relayopt.__version__, version
        assert run(tool, "-", "--passes=EliminateCommonSubexpr", input=TEXT).count("nn.relu") == 1
        assert run(tool, "m.onnx", "-O3", "--overview").strip()
        assert "same" in run(sys.executable, "-m", "relayopt", "m.onnx", "-O3", "--overview")
    size = os.path.getsize(os.path.join(package, "bin", "relayopt"))
    assert size <= 10 * 10**6, f"the tool has {size} bytes"
    print(f"relayopt {version} works with Python {sys.version.split()[0]} and numpy {np.__version__}")


if __name__ == "__main__":
    main()
