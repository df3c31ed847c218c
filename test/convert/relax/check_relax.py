"""Runs programs in TVM as relayopt writes them in Relax, and compares with what relayopt computes.

usage: check_relax.py RELAYOPT CASES.txt [NETWORK.relay ...]

Needs apache-tvm 0.27 and numpy. Prints each program that differs and a closing line; exit status 1 when one does.
"""

import importlib.util
import os
import subprocess
import sys
import tempfile

import numpy as np

DTYPES = {"f32": "float32", "f16": "float16", "i8": "int8", "i32": "int32", "i64": "int64", "u8": "uint8", "bool": "bool"}
# What an extent that is not known is when the program runs.
UNKNOWN = 5


def parameter(text, name):
    """`f32(2,?)` as `%a: Tensor[(2, ?), float32]`."""
    dtype, extents = text.rstrip(")").split("(")
    return f"%{name}: Tensor[({extents.replace(',', ', ')}), {DTYPES[dtype]}]"


def module_of(line):
    types, body = (part.strip() for part in line.split("|"))
    parameters = ", ".join(parameter(text, chr(ord("a") + i)) for i, text in enumerate(types.split()))
    return f'#[version = "0.0.5"]\ndef @main({parameters}) {{\n  {body}\n}}\n'


def programs(cases, networks):
    """Pairs of a name and the text of a module."""
    with open(cases, encoding="utf-8") as lines:
        for line in lines:
            if line.strip() and not line.startswith("#"):
                yield line.strip(), module_of(line)
    for network in networks:
        with open(network, encoding="utf-8") as text:
            yield os.path.basename(network), text.read()


def random_input(rng, shape, dtype):
    """Numbers of no extreme size, so that soft maxima saturate nowhere; weights shrink with their fan-in."""
    shape = [UNKNOWN if extent is None else extent for extent in shape]
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    if not dtype.startswith("float"):
        return rng.integers(0, 3, shape).astype(dtype)
    fan_in = np.prod(shape[1:]) if len(shape) > 1 else 1
    return (rng.uniform(0.1, 1, shape) / (np.sqrt(fan_in) if fan_in > 64 else 1)).astype(dtype)


def run_relayopt(relayopt, *arguments):
    done = subprocess.run([relayopt, *arguments], capture_output=True, text=True, timeout=300, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())


def difference(relayopt, folder, number, text):
    """Why the two results differ; empty when they do not."""
    relay, python, inputs, outputs = (os.path.join(folder, f"case{number}{ending}")
                                      for ending in (".relay", ".py", ".in.npz", ".out.npz"))
    with open(relay, "w", encoding="utf-8") as file:
        file.write(text)
    run_relayopt(relayopt, relay, "-o", python)
    spec = importlib.util.spec_from_file_location(f"case{number}", python)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    rng = np.random.default_rng(number)
    arguments = {name: random_input(rng, shape, dtype) for name, shape, dtype in module.INPUTS}
    np.savez(inputs, **arguments)
    run_relayopt(relayopt, "--run", "--inputs=" + inputs, "-o", outputs, relay)
    expected = np.load(outputs)
    for i, array in enumerate(module.run(arguments)):
        wanted = expected[f"output_{i}"]
        if array.shape != wanted.shape or array.dtype != wanted.dtype:
            return f"output {i} is {array.dtype}{array.shape}, not {wanted.dtype}{wanted.shape}"
        tolerance = {"rtol": 1e-4, "atol": 1e-5} if wanted.dtype.kind == "f" else {"rtol": 0, "atol": 0}
        if not np.allclose(array.astype("float64"), wanted.astype("float64"), equal_nan=True, **tolerance):
            return f"output {i} differs by {np.abs(array.astype('float64') - wanted.astype('float64')).max()}"
    return ""


def main():
    relayopt, cases, *networks = sys.argv[1:]
    relayopt = os.path.abspath(relayopt)
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for number, (name, text) in enumerate(programs(cases, networks)):
            try:
                why = difference(relayopt, folder, number, text)
            except Exception as error:  # pylint: disable=broad-except
                why = str(error)
            if why:
                failed += 1
                print(f"{name}\n    {why[-800:]}")
            else:
                passed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
