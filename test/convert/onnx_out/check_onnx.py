"""Runs programs in onnxruntime as relayopt writes them in ONNX, and compares with what relayopt computes.

usage: check_onnx.py RELAYOPT FILE...

A FILE is a list of programs (.txt, as test/convert/relax/cases.txt), a network (.relay) or a model (.onnx). Needs onnx,
onnxruntime and numpy. Each model is checked by onnx.checker, run with all optimizations and with none, and written a
second time from what was written: that must give the same bytes. Prints each program that differs and a closing line;
exit status 1 when one does.
"""

import os
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime

DTYPES = {"f64": "float64", "f32": "float32", "f16": "float16", "i8": "int8", "i16": "int16", "i32": "int32",
          "i64": "int64", "u8": "uint8", "u16": "uint16", "u32": "uint32", "bool": "bool"}
# What an extent that is not known is when the program runs.
UNKNOWN = 5
TOLERANCES = {"float16": {"rtol": 2e-2, "atol": 2e-2}, "float32": {"rtol": 1e-4, "atol": 1e-5},
              "float64": {"rtol": 1e-4, "atol": 1e-5}}


def parameter(text, name):
    """`f32(2,?)` as `%a: Tensor[(2, ?), float32]`."""
    dtype, extents = text.rstrip(")").split("(")
    return f"%{name}: Tensor[({extents.replace(',', ', ')}), {DTYPES[dtype]}]"


def module_of(line):
    types, body = (part.strip() for part in line.split("|"))
    parameters = ", ".join(parameter(text, chr(ord("a") + i)) for i, text in enumerate(types.split()))
    return f'#[version = "0.0.5"]\ndef @main({parameters}) {{\n  {body}\n}}\n'


def programs(files, folder):
    """Pairs of a name and a file."""
    for path in files:
        if not path.endswith(".txt"):
            yield os.path.basename(path), path
            continue
        with open(path, encoding="utf-8") as lines:
            for number, line in enumerate(lines):
                if not line.strip() or line.startswith("#"):
                    continue
                relay = os.path.join(folder, f"line{number}.relay")
                with open(relay, "w", encoding="utf-8") as file:
                    file.write(module_of(line))
                yield line.strip(), relay


def random_input(rng, info):
    """Numbers of no extreme size, so that soft maxima saturate nowhere; weights shrink with their fan-in."""
    shape = [dim.dim_value if dim.HasField("dim_value") else UNKNOWN for dim in info.type.tensor_type.shape.dim]
    dtype = onnx.helper.tensor_dtype_to_np_dtype(info.type.tensor_type.elem_type)
    if dtype == np.bool_:
        return rng.integers(0, 2, shape).astype(bool)
    if dtype.kind != "f":
        return rng.integers(0, 3, shape).astype(dtype)
    fan_in = np.prod(shape[1:]) if len(shape) > 1 else 1
    return np.asarray(rng.uniform(0.1, 1, shape) / (np.sqrt(fan_in) if fan_in > 64 else 1), dtype=dtype)


def run_relayopt(relayopt, *arguments):
    done = subprocess.run([relayopt, *arguments], capture_output=True, text=True, timeout=300, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())


def session(path, optimized):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    levels = onnxruntime.GraphOptimizationLevel
    options.graph_optimization_level = levels.ORT_ENABLE_ALL if optimized else levels.ORT_DISABLE_ALL
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def compare(arrays, expected):
    for i, (array, wanted) in enumerate(zip(arrays, expected)):
        if array.shape != wanted.shape or array.dtype != wanted.dtype:
            return f"output {i} is {array.dtype}{array.shape}, not {wanted.dtype}{wanted.shape}"
        tolerance = TOLERANCES.get(str(wanted.dtype), {"rtol": 0, "atol": 0})
        if not np.allclose(array.astype("float64"), wanted.astype("float64"), equal_nan=True, **tolerance):
            return f"output {i} differs by {np.nanmax(np.abs(array.astype('float64') - wanted.astype('float64')))}"
    return "" if len(arrays) == len(expected) else f"{len(arrays)} outputs, not {len(expected)}"


def bytes_of(path):
    with open(path, "rb") as file:
        return file.read()


def difference(relayopt, folder, number, source):
    """Why the results differ; empty when they do not."""
    model, again, third, inputs, outputs = (os.path.join(folder, f"case{number}{ending}")
                                            for ending in (".onnx", ".2.onnx", ".3.onnx", ".in.npz", ".out.npz"))
    run_relayopt(relayopt, source, "-o", model)
    proto = onnx.load(model)
    onnx.checker.check_model(proto, full_check=True)
    rng = np.random.default_rng(number)
    arguments = {info.name: random_input(rng, info) for info in proto.graph.input}
    np.savez(inputs, **arguments)
    run_relayopt(relayopt, "--run", "--inputs=" + inputs, "-o", outputs, source)
    expected = list(np.load(outputs).values())
    for optimized in (False, True):
        why = compare(session(model, optimized).run(None, arguments), expected)
        if why:
            return why + (" with optimizations" if optimized else "")
    run_relayopt(relayopt, model, "-o", again)
    run_relayopt(relayopt, again, "-o", third)
    if bytes_of(again) != bytes_of(third):
        return "written a third time it differs from the second"
    return ""


def main():
    relayopt, *files = sys.argv[1:]
    relayopt = os.path.abspath(relayopt)
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for number, (name, source) in enumerate(programs(files, folder)):
            try:
                why = difference(relayopt, folder, number, source)
            except Exception as error:  # pylint: disable=broad-except
                why = str(error)
            if why:
                failed += 1
                print(f"{name}\n    {why[-800:]}", flush=True)
            else:
                passed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
