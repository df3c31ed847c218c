"""Runs ONNX models in TVM as relayopt writes them in Relax, and compares with the outputs that ONNX expects of them.

usage: check_models.py RELAYOPT CASES.jsonl.gz [EVERY | ID ...]

A case is one line of JSON: `in_b64` is the model, `inputs` and `outputs` are archives of NumPy (base64), `out` is null
where the model has no meaning in Relay. With a number every EVERY-th case is run. Prints each model that has another
result and the counts; exit status 1 when less than 97 of a hundred models that can be imported agree.
"""

import base64
import gzip
import io
import json
import os
import sys

import numpy as np

from relax_runs import check, difference, folder, write_and_load

WANTED_SHARE = 0.97


def judge_in(relayopt, place):
    def judge(case):
        stem = os.path.join(place, "case" + case["id"].split("/")[-1])
        with open(stem + ".onnx", "wb") as file:
            file.write(base64.b64decode(case["in_b64"]))
        flags = [flag for flag in case["flags"] if flag != "--run"]
        module = write_and_load(relayopt, stem + ".onnx", stem + ".py", *flags)
        inputs = np.load(io.BytesIO(base64.b64decode(case["inputs"])))
        outputs = np.load(io.BytesIO(base64.b64decode(case["outputs"])))
        # NumPy's archives hold bfloat16 as its bits.
        arrays = [array.view("uint16") if array.dtype.name == "bfloat16" else array for array in module.run(inputs)]
        return difference(arrays, [outputs[name] for name in outputs.files], {"rtol": 1e-3, "atol": 1e-5})

    return judge


def main():
    relayopt, cases, *ids = sys.argv[1:]
    every = int(ids.pop()) if ids and ids[0].isdigit() else 1
    with gzip.open(cases, "rt", encoding="utf-8") as lines:
        programs = [json.loads(line) for line in lines][::every]
    programs = [case for case in programs if case["out"] is not None and (not ids or case["id"] in ids)]
    with folder() as place:
        counts = check([(f"{case['id']} {case.get('from', '')}", case) for case in programs],
                       judge_in(os.path.abspath(relayopt), place))
    print(", ".join(f"{count} {kind}" for kind, count in sorted(counts.items())))
    imported = len(programs) - counts.get("not imported", 0)
    return 0 if counts.get("equal", 0) >= WANTED_SHARE * imported else 1


if __name__ == "__main__":
    sys.exit(main())
