"""Optimizes the models of one node that the onnx package has for each operator: one node stays one node, or becomes fewer.

usage: check_one_node.py RELAYOPT [--only=TEXT] [--rounds=5] [--known=one_node.txt]

Each model is written by `relayopt MODEL -o OUT`. The result has at most one node, without Constant and inside of graphs
as many as there were, an operator with its name, and reading and writing it again changes no byte. Models that
the known file lists with a reason may differ; it is an error if they do not. Models that relayopt refuses are counted.
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

import runs
from check_trained import model_nodes

HERE = os.path.dirname(os.path.abspath(__file__))


def models():
    """Yields names and models of one node."""
    np.seterr(all="ignore")
    for case in load_model_tests(kind="node"):
        if case.model is not None and len(case.model.graph.node) == 1:
            yield case.name, case.model


def fault_of(relayopt, model, place, rounds):
    """Returns what is wrong with the written model, or an empty text."""
    paths = [os.path.join(place, f"round{number}.onnx") for number in range(rounds + 1)]
    model.graph.node[0].name = "the node"
    onnx.save(model, paths[0])
    runs.run_relayopt(relayopt, paths[0], "-o", paths[1])
    before, after = model_nodes(model), model_nodes(onnx.load(paths[1]))
    if len(after) > len(before):
        return f"{len(before)} -> {len(after)} nodes: " + ", ".join(node.op_type for node in after[:8])
    if after and len(after) == len(before):
        node = after[0]
        if node.name != "the node":
            return f"the name is '{node.name}'"
    for previous, path in zip(paths[1:], paths[2:]):
        runs.run_relayopt(relayopt, previous, "-o", path)
        with open(previous, "rb") as one, open(path, "rb") as two:
            if one.read() != two.read():
                return f"{os.path.basename(path)} differs from the round before"
    return ""


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
    known = known_faults(options.known)
    bad, refused, count = 0, 0, 0
    with runs.folder() as place:
        for name, model in models():
            if options.only not in name:
                continue
            count += 1
            try:
                fault = fault_of(os.path.abspath(options.relayopt), model, place, options.rounds)
            except runs.NotWritten as error:
                refused += 1
                fault = "refused: " + str(error).splitlines()[0][-150:]
            if bool(fault) != (name in known):
                bad += 1
                print(f"{name}: {fault or 'is right, though it is listed'}", flush=True)
    print(f"{count - bad} of {count} as expected, {refused} refused")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
