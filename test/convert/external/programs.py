"""The programs that checks of what relayopt writes run, and which operators they have shown to be right.

A list of programs (.txt) has one in a line: the types of the parameters %a, %b, ..., a bar, the body. `f32(2,?)` is a
tensor of made-up numbers, `i64[2,-1]` one of rank 1 with these. Behind ` # not ` may stand the systems that have no form
for it: there relayopt has to refuse it, with an error that names the operator. Behind ` # once` what is written in ONNX
cannot be read. Other files are networks (.relay) or models (.onnx).
"""

import json
import os
import re
import subprocess

import numpy as np

DTYPES = {"f64": "float64", "f32": "float32", "f16": "float16", "bf16": "bfloat16", "i8": "int8", "i16": "int16", "i32": "int32",
          "i64": "int64", "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64", "bool": "bool"}
# What an extent that is not known is when the program runs.
UNKNOWN = 5
OPERATOR = re.compile(r"(?<![\w.])[a-z_][\w.]*(?=\()")


class Program:
    """A module or the file that holds it, the arguments that are given, and what is known of it."""

    def __init__(self, number, name, text="", path="", given=None, notes=""):
        self.number = number
        self.name = name
        self.text = text
        self.path = path
        self.given = given or {}
        self.refused = notes.split()[1:] if notes.startswith("not") else []
        self.is_once = notes == "once"

    def write(self, folder):
        """The file of the module, made in the folder where there is none."""
        if self.path:
            return self.path
        path = os.path.join(folder, f"case{self.number}.relay")
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.text)
        return path

    def operators(self):
        return set(OPERATOR.findall(self.text))


def read_line(number, line):
    line, _, notes = line.strip().partition(" # ")
    types, body = (part.strip() for part in line.split("|", 1))
    parameters, given = [], {}
    for i, text in enumerate(types.split()):
        name = chr(ord("a") + i)
        dtype, numbers = re.fullmatch(r"(\w+)[(\[](.*)[)\]]", text).groups()
        if text.endswith("]"):
            given[name] = np.array([float(number) for number in numbers.split(",")]).astype(DTYPES[dtype])
            numbers = str(given[name].size)
        parameters.append(f"%{name}: Tensor[({numbers.replace(',', ', ')}), {DTYPES[dtype]}]")
    text = f'#[version = "0.0.5"]\ndef @main({", ".join(parameters)}) {{\n  {body}\n}}\n'
    return Program(number, line, text, "", given, notes)


def read_programs(paths):
    programs = []
    for path in paths:
        if path.endswith(".onnx"):
            programs.append(Program(len(programs), os.path.basename(path), path=path))
            continue
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if not path.endswith(".txt"):
            programs.append(Program(len(programs), os.path.basename(path), text, path))
            continue
        for line in text.splitlines():
            if line.strip() and not line.startswith("#"):
                programs.append(read_line(len(programs), line))
    return programs


def random_input(rng, shape, dtype):
    """Numbers of no extreme size; weights shrink with their fan-in, so that nothing saturates, in networks least of all."""
    shape = [UNKNOWN if extent is None else extent for extent in shape]
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    if not dtype.startswith("float"):
        return rng.integers(0, 3, shape).astype(dtype)
    fan_in = np.prod(shape[1:]) if len(shape) > 1 else 1
    if fan_in <= 64:
        return np.asarray(rng.uniform(0.1, 1, shape), dtype=dtype)
    return (rng.standard_normal(shape) * np.sqrt(2 / fan_in)).astype(dtype)


def small_numbers(rng, shape, dtype, low=-8, high=8):
    """Floats are quarters, so that sums and most products of them are exact."""
    whole = rng.integers(low, high + 1, shape)
    if dtype.kind == "b":
        return np.asarray(whole > 0)
    if dtype.kind == "u":
        return np.asarray(np.abs(whole), dtype)
    return np.asarray(whole / 4 if dtype.kind == "f" else whole, dtype)


def make_arguments(program, inputs):
    """Arrays for parameters that are (name, shape, type)."""
    rng = np.random.default_rng(program.number)
    arguments = {name: random_input(rng, shape, dtype) for name, shape, dtype in inputs}
    arguments.update(program.given)
    return arguments


def forms(relayopt, system):
    """By operator: how it is said in the system."""
    listed = subprocess.run([relayopt, "--list-ops=json"], capture_output=True, text=True, check=True).stdout
    return {op["name"]: op[system] for op in json.loads(listed)}


def report_operators(relayopt, system, equal, floor):
    """Prints how many operators the programs that ran equal have shown; whether there are enough of them."""
    states = forms(relayopt, system)
    shown = set().union(*(program.operators() for program in equal)) & set(states)
    missing = sorted(name for name, state in states.items() if state != "none" and name not in shown)
    print(f"{len(shown)} of {len(states)} operators have been run in this form, at least {floor} have to be")
    if missing:
        print("have a form that no program has shown:", ", ".join(missing))
    return len(shown) >= floor
