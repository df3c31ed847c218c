"""Optimizes the models of one node that the onnx package has for each operator: one node stays one node, or becomes fewer.

usage: check_one_node.py RELAYOPT [--only=TEXT] [--rounds=5] [--known=one_node.txt]

Each model is written by `relayopt MODEL -o OUT`. The result

  - has at most as many nodes, without Constant and those of inner graphs included, and the node its name;
  - is accepted by onnx.checker, if the model itself is;
  - gives what the model gives on the package's inputs, in ONNX Runtime or else in onnx's reference evaluator (not where
    it is random);
  - has the inputs and outputs of the model, by name;
  - does not change when it is read and written again.

What `relayopt MODEL --run` computes has to be what the package expects, where relayopt can evaluate the model and NumPy
can hold its inputs. Models that the known file lists with a reason may differ; it is an error if they do not.
"""

import argparse
import os
import sys
import warnings

warnings.simplefilter("ignore")

# pylint: disable=wrong-import-position
import numpy as np
import onnx
from onnx.backend.test.loader import load_model_tests
from onnx.reference import ReferenceEvaluator

import runs
from onnx_runtime import session
from check_trained import model_nodes

HERE = os.path.dirname(os.path.abspath(__file__))
NAME = "the node"
# Whose results are other ones each time.
RANDOM = ("Bernoulli", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike")


def cases():
    """Yields tests of one node with their inputs and outputs."""
    np.seterr(all="ignore")
    for case in load_model_tests(kind="node"):
        if case.model is not None and len(case.model.graph.node) == 1:
            case.model.graph.node[0].name = NAME
            yield case


def array_of(value):
    """Returns a tensor as an array, anything else as it is."""
    return onnx.numpy_helper.to_array(value) if isinstance(value, onnx.TensorProto) else value


def outputs_of(path, feeds):
    """Returns what a model computes; None if nobody can run it."""
    try:
        return session(path, False).run(None, feeds)
    except Exception:  # pylint: disable=broad-except
        pass
    try:
        return ReferenceEvaluator(path).run(None, feeds)
    except Exception:  # pylint: disable=broad-except
        return None


def difference(values, wanted, case):
    """Why values, which may be sequences and optionals, are not those that are wanted; empty when they are."""
    if len(values) != len(wanted):
        return f"{len(values)} values, not {len(wanted)}"
    for value, right in zip(values, wanted):
        if isinstance(right, (list, tuple)):
            why = difference(list(value), list(right), case)
            if why:
                return why
            continue
        value, right = np.asarray(value), np.asarray(right)
        if value.shape != right.shape:
            return f"the shape is {value.shape}, not {right.shape}"
        if right.dtype.kind not in "fc" and right.dtype.kind != "V":
            same = np.array_equal(value, right)
        else:
            wide = "complex128" if right.dtype.kind == "c" else "float64"
            tolerance = 4e-3 if right.dtype.itemsize < 4 else 1e-4
            same = np.allclose(value.astype(wide), right.astype(wide), equal_nan=True, rtol=max(case.rtol, tolerance),
                               atol=max(case.atol, 1e-6))
        if not same:
            return f"{value.ravel()[:4]} instead of {right.ravel()[:4]}"
    return ""


def is_valid(model):
    try:
        onnx.checker.check_model(model, full_check=True)
        return True
    except Exception:  # pylint: disable=broad-except
        return False


def structure_fault(before, after):
    """Returns what is wrong with the nodes and the interface of the written model."""
    old, new = model_nodes(before), model_nodes(after)
    if len(new) > len(old):
        return f"{len(old)} -> {len(new)} nodes: " + ", ".join(node.op_type for node in new[:8])
    if new and len(new) == len(old) and new[0].name != NAME:
        return f"the name is '{new[0].name}'"
    for values, others in ((before.graph.input, after.graph.input), (before.graph.output, after.graph.output)):
        if [value.name for value in values] != [value.name for value in others]:
            return "inputs or outputs have other names"
    return "" if is_valid(after) or not is_valid(before) else "onnx.checker refuses it"


def fault_of(relayopt, case, place, rounds):
    """Returns what is wrong with the written model, or an empty text."""
    paths = [os.path.join(place, f"round{number}.onnx") for number in range(rounds + 1)]
    onnx.save(case.model, paths[0])
    runs.run_relayopt(relayopt, paths[0], "-o", paths[1])
    fault = structure_fault(case.model, onnx.load(paths[1]))
    if fault:
        return fault
    for previous, path in zip(paths[1:], paths[2:]):
        runs.run_relayopt(relayopt, previous, "-o", path)
        with open(previous, "rb") as one, open(path, "rb") as two:
            if one.read() != two.read():
                return f"{os.path.basename(path)} differs from the round before"
    for inputs, _ in [] if is_random(case) else case.data_sets[:1]:
        names = [value.name for value in case.model.graph.input]
        feeds = {name: array_of(value) for name, value in zip(names, inputs) if value is not None}
        wanted = outputs_of(paths[0], feeds)
        given = outputs_of(paths[1], feeds) if wanted is not None else None
        if wanted is not None and given is None:
            return "what is written does not run"
        return difference(given, wanted, case) if wanted is not None else ""
    return ""


def is_random(case):
    return case.model.graph.node[0].op_type in RANDOM


def run_fault(relayopt, case, place):
    """Returns what is wrong with what relayopt computes; empty, too, where it cannot be compared."""
    if is_random(case):
        return ""
    model, arrays, results = (os.path.join(place, name) for name in ("model.onnx", "in.npz", "out.npz"))
    inputs, outputs = case.data_sets[0]
    names = [value.name for value in case.model.graph.input]
    feeds = {name: array_of(value) for name, value in zip(names, inputs) if value is not None}
    is_plain = all(isinstance(value, np.ndarray) and value.dtype.kind in "biuf" for value in feeds.values())
    wanted = [array_of(value) for value in outputs]
    if not is_plain or any(not isinstance(value, np.ndarray) or value.dtype.kind not in "biufc" for value in wanted):
        return ""
    onnx.save(case.model, model)
    np.savez(arrays, **feeds)
    try:
        runs.run_relayopt(relayopt, model, "--run", "--inputs=" + arrays, "-o", results)
    except runs.NotWritten:
        return ""
    with np.load(results) as given:
        why = difference(list(given.values()), wanted, case)
    return "--run: " + why if why else ""


def known_faults(path):
    """Returns the names of models that may differ."""
    with open(path, encoding="utf-8") as lines:
        return {line.split()[0] for line in lines if line.strip() and not line.startswith("#")}


def main():
    parser = argparse.ArgumentParser(formatter_class=argparse.RawDescriptionHelpFormatter, description=__doc__)
    parser.add_argument("relayopt")
    parser.add_argument("--only", default="", help="models whose name contains this")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--known", default=os.path.join(HERE, "one_node.txt"))
    options = parser.parse_args()
    relayopt = os.path.abspath(options.relayopt)
    known = known_faults(options.known)
    bad, refused, count = 0, 0, 0
    with runs.folder() as place:
        for case in cases():
            if options.only not in case.name:
                continue
            count += 1
            try:
                fault = fault_of(relayopt, case, place, options.rounds) or run_fault(relayopt, case, place)
            except runs.NotWritten as error:
                refused += 1
                fault = "refused: " + str(error).splitlines()[-1][-150:]
            if bool(fault) != (case.name in known):
                bad += 1
                print(f"{case.name}: {fault or 'is right, though it is listed'}", flush=True)
    print(f"{count - bad} of {count} as expected, {refused} refused")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
