"""Optimizes random ONNX models and compares what they compute in ONNX Runtime before and after.

usage: check_random_models.py RELAYOPT [--seed=1] [--count=200] [--keep=FOLDER]

Each model (random_models.py) is written by `relayopt MODEL -o OUT`. The result is accepted by ONNX Runtime, has the inputs
and outputs of the model, not more nodes, computes the same, for other extents of symbols as well, and has as many nodes
when it is read and written again. Written for another version of the operators it computes the same, and so does
`--run`, on the model and on what `-O3` makes of it, unless they are refused. Each model that differs is printed, and kept
in FOLDER; the exit status is 1 then.
"""

import argparse
import os
import sys

import numpy as np
import onnx

import random_models
import runs
from drawn_operators import OPERATORS
from onnx_runtime import session
from rare_operators import RARE


def nodes_of(model):
    """How many nodes a model has, without constants and copies, with those of graphs in nodes."""
    count, graphs = 0, [model.graph]
    while graphs:
        for node in graphs.pop().node:
            count += node.op_type not in ("Constant", "Identity")
            graphs += [attribute.g for attribute in node.attribute if attribute.HasField("g")]
    return count


def interface(model):
    outside = {tensor.name for tensor in model.graph.initializer}
    return [value.name for value in model.graph.input if value.name not in outside], [
        value.name for value in model.graph.output]


def compared(after, feeds, wanted):
    """Why what a session computes is not what is wanted; empty when it is."""
    try:
        return runs.difference_by_largest(after.run(None, feeds), wanted)
    except Exception as error:  # pylint: disable=broad-except
        return str(error)


def other_inputs(maker, model, symbols):
    """Inputs with other extents for symbols, and other numbers."""
    extents = {name: maker.extent() for name in symbols.values()}
    feeds = {}
    for value in model.graph.input:
        if value.name not in {made.name for made in maker.inputs}:
            continue
        tensor = value.type.tensor_type
        shape = [extents[dim.dim_param] if dim.dim_param else dim.dim_value for dim in tensor.shape.dim]
        feeds[value.name] = maker.numbers_of(shape, onnx.helper.tensor_dtype_to_np_dtype(tensor.elem_type))
    return feeds


def evaluated(relayopt, source, feeds, place, wanted, *flags):
    """Why `--run` computes something else; empty when it does not, or when the program is refused."""
    inputs, outputs = os.path.join(place, "inputs.npz"), os.path.join(place, "outputs.npz")
    np.savez(inputs, **feeds)
    try:
        runs.run_relayopt(relayopt, "--run", "--inputs=" + inputs, "-o", outputs, "-q", *flags, source)
    except runs.NotWritten as error:
        return "" if ": error: " in str(error) else str(error)
    with np.load(outputs) as made:
        values = list(made.values())
    return runs.difference_by_largest(values, wanted)


def in_another_way(relayopt, seed, source, feeds, place, wanted):
    """Why another use of the model computes something else; empty if none does."""
    opset = 13 + seed % 9
    other = os.path.join(place, "other.onnx")
    try:
        runs.run_relayopt(relayopt, source, "-o", other, "-q", f"--onnx-write-opset={opset}")
    except runs.NotWritten as error:
        if ": error: " not in str(error):
            return str(error)
    else:
        try:
            why = compared(session(other), feeds, wanted)
        except Exception as error:  # pylint: disable=broad-except
            # Some types have kernels in few versions only.
            why = "" if "NOT_IMPLEMENTED" in str(error) else str(error)
        if why:
            return f"in version {opset}: {why}"
    for flags in ((), ("-O3",)):
        why = evaluated(relayopt, source, feeds, place, wanted, *flags)
        if why:
            return f"--run {' '.join(flags)}: {why}"
    return ""


def judge(relayopt, seed, place):
    """Returns a kind of outcome and why."""
    maker = random_models.ModelMaker(seed, ((OPERATORS, 70), (RARE, 30)))
    try:
        model, feeds, symbols = maker.make()
    except random_models.Unfit:
        return "not drawn", ""
    source, written, again = (os.path.join(place, f"{seed}{ending}") for ending in (".onnx", ".out.onnx", ".again.onnx"))
    onnx.save(model, source)
    try:
        before = session(source)
        wanted = before.run(None, feeds)
    except Exception:  # pylint: disable=broad-except
        return "not run", ""
    runs.run_relayopt(relayopt, source, "-o", written, "-q")
    made = onnx.load(written)
    try:
        after = session(written)
    except Exception as error:  # pylint: disable=broad-except
        return "invalid", str(error)
    if interface(made) != interface(model):
        return "differs", "inputs or outputs have other names"
    why = compared(after, feeds, wanted)
    if why:
        return "differs", why
    for _ in range(3):
        others = other_inputs(maker, model, symbols)
        try:
            wanted = before.run(None, others)
        except Exception:  # pylint: disable=broad-except
            continue
        why = compared(after, others, wanted)
        # Parts without elements leave a result of Concat in ONNX Runtime as it happens to be.
        if why and not compared(before, others, wanted):
            return "differs", f"other inputs: {why}"
    why = in_another_way(relayopt, seed, source, feeds, place, before.run(None, feeds))
    if why:
        return "differs", why
    if nodes_of(made) > nodes_of(model):
        return "grew", f"{nodes_of(model)} nodes became {nodes_of(made)}"
    runs.run_relayopt(relayopt, written, "-o", again, "-q")
    # Outputs that are the same value may be copies of each other in another order.
    count = nodes_of(onnx.load(again))
    if count != nodes_of(made):
        return "changes again", f"{nodes_of(made)} nodes became {count}"
    return "equal", ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("relayopt")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--keep")
    args = parser.parse_args()
    counts = {}
    with runs.folder() as place:
        place = args.keep or place
        os.makedirs(place, exist_ok=True)
        for seed in range(args.seed, args.seed + args.count):
            try:
                kind, why = judge(os.path.abspath(args.relayopt), seed, place)
            except runs.NotWritten as error:
                kind, why = "refused", str(error)
            counts[kind] = counts.get(kind, 0) + 1
            if why:
                print(f"{seed}: {kind}: {why[-300:]}", flush=True)
                continue
            for ending in (".onnx", ".out.onnx", ".again.onnx"):
                path = os.path.join(place, f"{seed}{ending}")
                if os.path.exists(path):
                    os.remove(path)
    runs.show_counts(counts)
    sys.exit(0 if set(counts) <= {"equal", "not drawn", "not run"} else 1)


if __name__ == "__main__":
    main()
