"""Runs random Relay programs in ONNX Runtime and in TVM as relayopt writes them, and compares with what relayopt computes.

usage: check_random_programs.py RELAYOPT [--seed=1] [--count=100] [--systems=onnx,relax] [--keep=FOLDER] [--calls]

The programs are those of `relayopt --fuzz=COUNT --seed=SEED --fuzz-save=FOLDER`. Each that can be written as ONNX, and as
Relax, runs there and in `relayopt --run`, on the same small numbers. Set aside and counted are programs that relayopt
refuses to write or to evaluate, results that TVM leaves undefined, kernels that the system lacks (LACKS), and results that
differ only where `--run --disturb` shows that rounding, a step of quantized numbers, NaN or infinities decide. What
differs otherwise, crashes or is refused by the system is printed, with its program and how to repeat it, and kept in
FOLDER; the exit status is 1 then, and when fewer programs can be written than LEAST_WRITTEN says. With --calls each kind
of call in these programs is a program of its own.
"""

import argparse
import importlib.util
import os
import re
import sys

import numpy as np

import runs
from programs import small_numbers
from single_calls import write_calls

SYSTEMS = {"onnx": "onnxruntime", "relax": "tvm"}
# Of a hundred programs. The others have references, recursion, data types or operators without a form.
LEAST_WRITTEN = {"onnx": 60, "relax": 40}
# Larger programs are not run: products of broadcast extents.
MOST_ELEMENTS = 1_000_000
# What an extent that is not known is when the program runs. The operands of random programs fit each other then.
UNKNOWN = 2
# Other systems may be away so many times as far as disturbed runs move. Those of rounding move by more than it does.
DISTURBANCES = (("rounding", 8, 4, "rounding decides"), ("steps", 8, 1.5, "a step of quantized numbers decides"),
                ("open", 12, np.inf, "NaN or infinities decide"))
# What the messages of a system say where it cannot run what is right.
LACKS = {
    "onnx": {"NOT_IMPLEMENTED|Could not find an implementation": "no kernel"},
    "relax": {"Check failed: fb->value != 0": "means of nothing",
              r"Reshape expects the new shape .* with product T.int64\(0\)": "copies of nothing",
              "Literal value 2147483648 exceeds range of int32": "products with the least integer",
              r"unknown intrinsic .*tirx\.(\w+)": "functions of float16"},
}


def in_onnx_runtime(relayopt, source, stem):
    """Writes the program; returns the inputs, and what runs it."""
    import onnx  # pylint: disable=import-outside-toplevel
    from onnx_runtime import interface, session  # pylint: disable=import-outside-toplevel

    runs.run_relayopt(relayopt, source, "-o", stem + ".onnx", "-q")
    proto = onnx.load(stem + ".onnx")
    onnx.checker.check_model(proto)
    made = session(stem + ".onnx")
    return list(interface(proto)), lambda arguments: made.run(None, arguments)


def in_tvm(relayopt, source, stem):
    module = runs.write_and_load(relayopt, source, stem + ".py", "-q")
    return module.INPUTS, module.run


WRITERS = {"onnx": in_onnx_runtime, "relax": in_tvm}


def refusal(error):
    """The kind of the diagnostic with which relayopt refused; raises the error again where there is none: a crash."""
    said = re.search(r": error: .*\[([\w-]+)\]", str(error))
    if not said and ": error: " not in str(error):
        raise RuntimeError(str(error)) from error
    return said[1] if said else "error"


def make_arguments(seed, inputs):
    rng = np.random.default_rng(seed)
    shapes = {name: [UNKNOWN if extent is None else extent for extent in shape] for name, shape, _ in inputs}
    if sum(np.prod(shape, dtype=float) for shape in shapes.values()) > MOST_ELEMENTS:
        raise runs.SetAside("too large")
    return {name: small_numbers(rng, shapes[name], np.dtype(dtype)) for name, _, dtype in inputs}


class Evaluation:
    """What `relayopt --run` computes of a program."""

    def __init__(self, relayopt, source, stem, arguments):
        self.relayopt, self.source = relayopt, source
        self.model, self.inputs, self.outputs = stem + ".onnx", stem + ".in.npz", stem + ".out.npz"
        np.savez(self.inputs, **arguments)

    def arrays(self, *flags, source=None):
        """The results, and warnings."""
        warnings = runs.run_relayopt(self.relayopt, "--run", "--inputs=" + self.inputs, "-o", self.outputs, *flags,
                                     source or self.source)
        with np.load(self.outputs) as made:
            return list(made.values()), warnings

    def wanted(self):
        try:
            arrays, warnings = self.arrays()
        except runs.NotWritten as error:
            raise runs.SetAside(f"not evaluated|{refusal(error)}") from error
        if "[undefined-result]" in warnings:
            raise runs.SetAside("undefined result")
        return arrays

    def means_other_nan(self, arrays, wanted):
        """Whether the model that was written computes what is wanted if NaN means what it does in Relay, and what the
        system computes if it means what it does in ONNX."""
        if not os.path.exists(self.model):
            return False
        pairs = ((wanted, ()), (arrays, ("--onnx-keep-nan",)))
        return not any(runs.difference_by_largest(self.arrays(*flags, source=self.model)[0], right) for right, flags in pairs)


def widen(slack, wanted, moved, margin):
    """Widens how far each element may be away; where even the shape moves, all may be."""
    for i, (right, other) in enumerate(zip(wanted, moved)):
        if right.shape != other.shape:
            slack[i] = None
        elif slack[i] is not None:
            a, b = right.astype("float64"), other.astype("float64")
            with np.errstate(invalid="ignore"):
                distance = np.where((a == b) | (np.isnan(a) & np.isnan(b)), 0, np.nan_to_num(np.abs(a - b), nan=np.inf))
                distance[distance > 0] *= margin
            slack[i] = np.maximum(slack[i], distance)


def within(arrays, wanted, slack):
    """The results, with what is wanted where they are near enough to it."""
    kept = []
    for array, right, room in zip(arrays, wanted, slack):
        if room is None:
            kept.append(right)
        elif array.shape != right.shape or array.dtype != right.dtype:
            kept.append(array)
        else:
            with np.errstate(invalid="ignore"):
                is_near = np.abs(array.astype("float64") - right.astype("float64")) <= room
            kept.append(np.where(is_near | np.isinf(room), right, array))
    return kept


def judge_results(evaluation, arrays, wanted):
    """Why the results are wrong; empty if they are not."""
    why = runs.difference_by_largest(arrays, wanted)
    if not why or len(arrays) != len(wanted):
        return why
    slack = [np.zeros(right.shape) for right in wanted]
    for kind, count, margin, decides in DISTURBANCES:
        for run in range(1, count + 1):
            try:
                moved, _ = evaluation.arrays(f"--disturb={kind}", f"--disturb-run={run}")
            except runs.NotWritten as error:
                refusal(error)
                raise runs.SetAside(decides) from error
            widen(slack, wanted, moved, margin)
        if not runs.difference_by_largest(within(arrays, wanted, slack), wanted):
            raise runs.SetAside(decides)
    if evaluation.means_other_nan(arrays, wanted):
        raise runs.SetAside("NaN or infinities decide")
    return why


def judge_in(relayopt, system, place):
    def attempt(function, *arguments):
        try:
            return function(*arguments)
        except (runs.NotWritten, runs.SetAside):
            raise
        except Exception as error:  # pylint: disable=broad-except
            for message, lack in LACKS[system].items():
                if re.search(message, str(error)):
                    raise runs.SetAside(f"{system} lacks|{lack}") from error
            raise

    def judge(seed):
        source, stem = source_of(place, seed), os.path.join(place, f"{seed}-{system}")
        try:
            inputs, run = attempt(WRITERS[system], relayopt, source, stem)
        except runs.NotWritten as error:
            raise runs.SetAside(f"not written|{refusal(error)}") from error
        arguments = make_arguments(seed, inputs)
        evaluation = Evaluation(relayopt, source, stem, arguments)
        wanted = evaluation.wanted()
        return judge_results(evaluation, attempt(run, arguments), wanted)

    return judge


def source_of(place, seed):
    return os.path.join(place, f"fuzz-{seed}.relay")


def check_in(relayopt, system, seeds, place, again):
    """Checks the programs in one system; whether all is well, and what is not. `again` tells how to repeat one."""
    counts, reasons, faults = {}, {}, set()
    for name, seed, kind, why in runs.check([(str(seed), seed) for seed in seeds], judge_in(relayopt, system, place)):
        if kind == "set aside":
            kind, _, reason = why.partition("|")
            reasons.setdefault(kind, {}).setdefault(reason, 0)
            reasons[kind][reason] += 1
        elif kind != "equal":
            faults.add(seed)
            with open(source_of(place, seed), encoding="utf-8") as file:
                print(f"seed {name} in {system}: {kind}: {why[-800:]}\n{file.read()}"
                      f"again: {again(seed)} --systems={system}", flush=True)
        counts[kind] = counts.get(kind, 0) + 1
    print(f"{system}: ", end="")
    runs.show_counts(counts)
    for kind, by_reason in sorted(reasons.items()):
        if set(by_reason) != {""}:
            print(f"  {kind}:", ", ".join(f"{count} {reason}" for reason, count in sorted(by_reason.items())))
    share = 100 - 100 * counts.get("not written", 0) / len(seeds)
    is_enough = share >= LEAST_WRITTEN[system] or len(seeds) < 50
    if not is_enough:
        print(f"  only {share:.0f} % can be written, at least {LEAST_WRITTEN[system]} % have to be")
    return not faults and is_enough, faults


def make_programs(args, place):
    """Writes the programs to the folder, or their calls."""
    def save(folder):
        runs.run_relayopt(args.relayopt, f"--fuzz={args.count}", f"--seed={args.seed}", f"--fuzz-save={folder}")
    if not args.calls:
        save(place)
        return
    with runs.folder() as programs:
        save(programs)
        write_calls([os.path.join(programs, name) for name in sorted(os.listdir(programs))], place)


def again(args, seed):
    """How the check of one program is repeated; a call is only there beside the others."""
    if args.calls:
        return f"./dev random-programs --calls --seed={args.seed} --count={args.count}"
    return f"./dev random-programs --seed={seed} --count=1"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("relayopt")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--systems", default=",".join(SYSTEMS))
    parser.add_argument("--keep")
    parser.add_argument("--calls", action="store_true")
    args = parser.parse_args()
    is_well = True
    with runs.folder() as place:
        make_programs(args, place)
        seeds = sorted(int(name[len("fuzz-"):-len(".relay")]) for name in os.listdir(place))
        for system in args.systems.split(","):
            if importlib.util.find_spec(SYSTEMS[system]) is None:
                print(f"{system}: skipped, {SYSTEMS[system]} is not installed")
                continue
            # Loaded before the processes fork, each of which would load it.
            importlib.import_module(SYSTEMS[system])
            is_good, faults = check_in(os.path.abspath(args.relayopt), system, seeds, place, lambda seed: again(args, seed))
            is_well = is_well and is_good
            if args.keep:
                keep(faults, place, args.keep)
    sys.exit(0 if is_well else 1)


def keep(faults, place, folder):
    os.makedirs(folder, exist_ok=True)
    for name in os.listdir(place):
        if any(name.startswith((f"fuzz-{seed}.", f"{seed}-")) for seed in faults):
            os.replace(os.path.join(place, name), os.path.join(folder, name))


if __name__ == "__main__":
    main()
