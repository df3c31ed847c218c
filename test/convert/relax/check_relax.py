"""Runs programs in TVM as relayopt writes them in Relax, and compares with what relayopt computes.

usage: check_relax.py RELAYOPT CASES.txt|NETWORK.relay ...

Needs apache-tvm 0.27 and numpy. Prints each program that differs and a closing line; exit status 1 when one does.
"""

import os
import re
import sys

import numpy as np

from relax_runs import check, difference, folder, run_relayopt, write_and_load

DTYPES = {"f32": "float32", "f16": "float16", "f64": "float64", "i8": "int8", "i32": "int32", "i64": "int64", "u8": "uint8",
          "bool": "bool"}
# What an extent that is not known is when the program runs.
UNKNOWN = 5


def read_case(line):
    """The module of `TYPES | BODY`, and the arguments that the types give: `f32(2,?)` is a tensor of made-up numbers,
    `i64[2,-1]` one of rank 1 with these."""
    types, body = (part.strip() for part in line.split("|"))
    parameters, given = [], {}
    for i, text in enumerate(types.split()):
        name = chr(ord("a") + i)
        dtype, numbers = re.fullmatch(r"(\w+)[(\[](.*)[)\]]", text).groups()
        if text.endswith("]"):
            given[name] = np.array([float(number) for number in numbers.split(",")]).astype(DTYPES[dtype])
            numbers = str(given[name].size)
        parameters.append(f"%{name}: Tensor[({numbers.replace(',', ', ')}), {DTYPES[dtype]}]")
    return f'#[version = "0.0.5"]\ndef @main({", ".join(parameters)}) {{\n  {body}\n}}\n', given


def programs(paths):
    """(name, (number, text of the module, arguments that are given))"""
    found = []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if path.endswith(".relay"):
            found.append((os.path.basename(path), (text, {})))
            continue
        for line in text.splitlines():
            if line.strip() and not line.startswith("#"):
                found.append((line.strip(), read_case(line)))
    return [(name, (number, *program)) for number, (name, program) in enumerate(found)]


def random_input(rng, shape, dtype):
    """Numbers of no extreme size; weights shrink with their fan-in, so that nothing saturates, in networks least of all."""
    shape = [UNKNOWN if extent is None else extent for extent in shape]
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    if not dtype.startswith("float"):
        return rng.integers(0, 3, shape).astype(dtype)
    fan_in = np.prod(shape[1:]) if len(shape) > 1 else 1
    if fan_in <= 64:
        return rng.uniform(0.1, 1, shape).astype(dtype)
    return (rng.standard_normal(shape) * np.sqrt(2 / fan_in)).astype(dtype)


def judge_in(relayopt, place):
    def judge(case):
        number, text, given = case
        relay, python, inputs, outputs = (os.path.join(place, f"case{number}{ending}")
                                          for ending in (".relay", ".py", ".in.npz", ".out.npz"))
        with open(relay, "w", encoding="utf-8") as file:
            file.write(text)
        module = write_and_load(relayopt, relay, python)
        rng = np.random.default_rng(number)
        arguments = {name: random_input(rng, shape, dtype) for name, shape, dtype in module.INPUTS}
        arguments.update(given)
        np.savez(inputs, **arguments)
        run_relayopt(relayopt, "--run", "--inputs=" + inputs, "-o", outputs, relay)
        wanted = np.load(outputs)
        arrays = module.run(arguments)
        return difference(arrays, [wanted[f"output_{i}"] for i in range(len(wanted.files))],
                          {"rtol": 1e-4, "atol": 1e-5})

    return judge


def main():
    relayopt, *paths = sys.argv[1:]
    with folder() as place:
        counts = check(programs(paths), judge_in(os.path.abspath(relayopt), place))
    print(", ".join(f"{count} {kind}" for kind, count in sorted(counts.items())))
    return 0 if set(counts) <= {"equal"} else 1


if __name__ == "__main__":
    sys.exit(main())
