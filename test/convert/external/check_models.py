"""Runs ONNX models in TVM or onnxruntime as relayopt writes them, and compares with the outputs that ONNX expects of them.

usage: check_models.py RELAYOPT relax|onnx CASES.jsonl.gz [EVERY | ID ...]

A case is one line of JSON: `in_b64` is the model, `inputs` and `outputs` are archives of NumPy (base64), `flags` are those
it is run with; models whose `out` is null have no meaning in Relay. With a number every EVERY-th case is run. Prints each
model that has another result and the counts; exit status 1 when less than 97 (Relax) or 98 (ONNX) of a hundred models
that can be imported agree.
"""

import base64
import gzip
import io
import json
import os
import sys

import numpy as np

import runs
from runs import check, folder, run_relayopt, show_counts

WANTED_SHARES = {"relax": 0.97, "onnx": 0.98}
TOLERANCE = {"rtol": 1e-3, "atol": 1e-5}
# Types that archives of NumPy lack are held as float32, but for bfloat16, of which they hold the bits.
BFLOAT16 = 16
FOREIGN = {BFLOAT16, 17, 18, 19, 20, 21, 22}
# 4-bit integers, which Relax holds in 8 bits.
INT4 = {21, 22}


class NotImported(RuntimeError):
    """relayopt refused to read the model."""


def archive(text):
    return np.load(io.BytesIO(base64.b64decode(text)))


def as_float(bits):
    """The numbers whose upper halves are given."""
    return (bits.astype(np.uint32) << 16).view(np.float32) if bits.dtype == np.uint16 else bits


def foreign_outputs(source):
    """The element types of outputs that NumPy lacks, by their places."""
    import onnx  # pylint: disable=import-outside-toplevel

    kinds = enumerate(value.type.tensor_type.elem_type for value in onnx.load(source).graph.output)
    return {i: kind for i, kind in kinds if kind in FOREIGN}


def run_relax(relayopt, source, stem, flags, inputs):
    module = runs.write_and_load(relayopt, source, stem + ".py", *flags)
    return module.run({name: as_float(array) if dtype == "bfloat16" else array
                       for name, _, dtype in module.INPUTS for array in [inputs[name]]})


def with_plain_interface(model):
    """The model with inputs and outputs that NumPy lacks as float32, cast inside."""
    import onnx  # pylint: disable=import-outside-toplevel

    before, after = [], []
    for value in model.graph.input:
        dtype = value.type.tensor_type
        if dtype.elem_type in FOREIGN:
            before.append(onnx.helper.make_node("Cast", [value.name + ".plain"], [value.name], to=dtype.elem_type))
            value.name += ".plain"
            dtype.elem_type = onnx.TensorProto.FLOAT
    for value in model.graph.output:
        dtype = value.type.tensor_type
        if dtype.elem_type in FOREIGN:
            after.append(onnx.helper.make_node("Cast", [value.name], [value.name + ".plain"], to=onnx.TensorProto.FLOAT))
            value.name += ".plain"
            dtype.elem_type = onnx.TensorProto.FLOAT
    nodes = [*before, *model.graph.node, *after]
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    return model


def run_onnx(relayopt, source, stem, flags, inputs):
    import onnx  # pylint: disable=import-outside-toplevel
    from onnx_runtime import session  # pylint: disable=import-outside-toplevel

    written = stem + ".written.onnx"
    run_relayopt(relayopt, source, *flags, "-o", written)
    model = onnx.load(written)
    onnx.checker.check_model(model, full_check=True)
    with_plain_interface(model)
    arguments = {}
    for value in model.graph.input:
        name = value.name.removesuffix(".plain")
        arguments[value.name] = as_float(inputs[name]) if value.name != name else inputs[name]
    return session(model.SerializeToString()).run(None, arguments)


def judge_in(relayopt, target, place):
    run_target = run_relax if target == "relax" else run_onnx

    def judge(case):
        stem = os.path.join(place, "case" + case["id"].split("/")[-1])
        source = stem + ".onnx"
        with open(source, "wb") as file:
            file.write(base64.b64decode(case["in_b64"]))
        flags = [flag for flag in case["flags"] if flag != "--run"]
        try:
            run_relayopt(relayopt, source, *flags, "--disable-output")
        except runs.NotWritten as error:
            raise NotImported(str(error)) from error
        arrays = run_target(relayopt, source, stem, flags, archive(case["inputs"]))
        outputs = archive(case["outputs"])
        wanted = [outputs[name] for name in outputs.files]
        kinds = foreign_outputs(source) if target == "relax" else {}
        for i, (array, right) in enumerate(zip(arrays, wanted)):
            if kinds.get(i) in INT4 and array.dtype.itemsize == 1:
                arrays[i] = array.astype("float32")
            elif right.dtype != array.dtype and (array.dtype.name == "bfloat16" or array.dtype.kind == "f"):
                wanted[i] = as_float(right).astype("float32")
                arrays[i] = array.astype("float32")
        return runs.difference(arrays, wanted, TOLERANCE)

    return judge


def main():
    relayopt, target, cases, *ids = sys.argv[1:]
    if target == "relax":
        import tvm  # noqa: F401  pylint: disable=import-outside-toplevel,unused-import
    else:
        import onnxruntime  # noqa: F401  pylint: disable=import-outside-toplevel,unused-import
    every = int(ids.pop()) if ids and ids[0].isdigit() else 1
    with gzip.open(cases, "rt", encoding="utf-8") as lines:
        programs = [json.loads(line) for line in lines][::every]
    programs = [case for case in programs if case["out"] is not None and (not ids or case["id"] in ids)]
    counts = {}
    with folder() as place:
        for name, _, kind, why in check([(f"{case['id']} {case.get('from', '')}", case) for case in programs],
                                        judge_in(os.path.abspath(relayopt), target, place)):
            if why.startswith("NotImported"):
                kind = "not imported"
            elif why:
                print(f"{name}\n    {kind}: {why[-800:]}", flush=True)
            counts[kind] = counts.get(kind, 0) + 1
    show_counts(counts)
    imported = len(programs) - counts.get("not imported", 0)
    print(f"{counts.get('equal', 0) / max(imported, 1):.1%} of those that can be imported")
    return 0 if counts.get("equal", 0) >= WANTED_SHARES[target] * imported else 1


if __name__ == "__main__":
    sys.exit(main())
