"""What the checks of written modules share: they are run by the system that they are for, and the results are compared.

Each program runs in a process of its own, forked from one that has loaded the system and has run nothing: a crash costs
one program.
"""

import importlib.util
import multiprocessing
import multiprocessing.connection
import os
import subprocess
import sys
import tempfile
import time

import numpy as np

from programs import read_programs, report_operators

os.environ.setdefault("TVM_NUM_THREADS", "1")

TIMEOUT = 200
TOLERANCE = {"rtol": 1e-4, "atol": 1e-5}


class NotWritten(RuntimeError):
    """relayopt refused to write the module."""


class SetAside(RuntimeError):
    """The program shows nothing. The text says of which kind it is, and after a bar why."""


def run_relayopt(relayopt, *arguments):
    """Returns the warnings."""
    done = subprocess.run([relayopt, *arguments], capture_output=True, text=True, timeout=TIMEOUT, check=False)
    if done.returncode != 0:
        raise NotWritten(done.stderr.strip())
    return done.stderr


def write_and_load(relayopt, model, python, *flags):
    """Writes the model as Relax and imports what was written, which TVM reads and checks then."""
    run_relayopt(relayopt, model, *flags, "-o", python)
    spec = importlib.util.spec_from_file_location(os.path.basename(python)[:-3], python)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def difference(arrays, wanted, float_tolerance=None):
    """Why arrays are not those that are wanted; empty when they are. Integers and truth values have to be equal."""
    if len(arrays) != len(wanted):
        return f"{len(arrays)} outputs, not {len(wanted)}"
    for i, (array, right) in enumerate(zip(arrays, wanted)):
        if array.shape != right.shape or array.dtype != right.dtype:
            return f"output {i} is {array.dtype}{array.shape}, not {right.dtype}{right.shape}"
        if right.dtype.kind != "f":
            if not np.array_equal(array, right):
                return f"output {i} differs at {np.count_nonzero(array != right)} of {right.size} elements"
            continue
        tolerance = {"rtol": 2e-2, "atol": 2e-2} if right.dtype == np.float16 else float_tolerance or TOLERANCE
        a, b = array.astype("float64"), right.astype("float64")
        if not np.allclose(a, b, equal_nan=True, **tolerance):
            with np.errstate(invalid="ignore"):
                return f"output {i} differs by {np.nanmax(np.abs(a - b)):.3g}, the largest is {np.nanmax(np.abs(b)):.3g}"
    return ""


def difference_by_largest(arrays, wanted):
    """As `difference`, but relative to the largest element: sums of products cancel out."""
    if len(arrays) != len(wanted):
        return difference(arrays, wanted)
    for i, (array, right) in enumerate(zip(arrays, wanted)):
        finite = right[np.isfinite(right)] if right.dtype.kind == "f" else np.zeros(0)
        tolerance = {"rtol": 1e-3, "atol": 1e-4 * max(1.0, float(np.max(np.abs(finite))))} if finite.size else None
        why = difference([array], [right], tolerance)
        if why:
            return why.replace("output 0", f"output {i}")
    return ""


def start(function, argument):
    """Runs function(argument) in a process of its own, which sends a kind of outcome and a text."""
    receiver, sender = multiprocessing.Pipe(duplex=False)

    def work():
        # What TVM prints of its own accord goes nowhere.
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        try:
            why = function(argument)
            sender.send(("differs" if why else "equal", why))
        except NotWritten as error:
            sender.send(("not written", str(error)))
        except SetAside as error:
            sender.send(("set aside", str(error)))
        except BaseException as error:  # pylint: disable=broad-except
            sender.send(("refused", f"{type(error).__name__}: {error}"))

    process = multiprocessing.get_context("fork").Process(target=work)
    process.start()
    sender.close()
    return receiver, process


def finish(receiver, process):
    try:
        outcome = receiver.recv() if receiver.poll(0) else ("crash", "no result in time")
    except EOFError:
        outcome = ("crash", "the process died")
    process.kill()
    process.join()
    return outcome


def check(programs, judge):
    """Judges (name, payload) pairs; yields (name, payload, kind of outcome, why) of each. There are no threads here: a
    process that is forked beside one may wait for ever for what the other held."""
    pending = list(reversed(programs))
    running = {}
    while pending or running:
        while pending and len(running) < os.cpu_count():
            name, payload = pending.pop()
            receiver, process = start(judge, payload)
            running[receiver] = (name, payload, process, time.monotonic() + TIMEOUT)
        ready = multiprocessing.connection.wait(list(running), timeout=1)
        late = [receiver for receiver, (*_, end) in running.items() if time.monotonic() > end]
        for receiver in {*ready, *late}:
            name, payload, process, _ = running.pop(receiver)
            yield name, payload, *finish(receiver, process)


def show_counts(counts):
    print(", ".join(f"{count} {kind}" for kind, count in sorted(counts.items())), flush=True)


def outcome_of(program, system, kind, why):
    """What an outcome is for a program that may be one that the system cannot say."""
    if system not in program.refused:
        return kind, why
    if kind == "not written" and f"[no-{system}-form]" in why:
        return "refused as they should be", ""
    return "to be refused", f"it has no form in {system}, the list says, but: {kind} {why}"


def main(system, judge_in):
    """The command line of check_onnx.py and check_relax.py."""
    relayopt, *paths = sys.argv[1:]
    relayopt = os.path.abspath(relayopt)
    floor = int(paths.pop(0).partition("=")[2]) if paths[0].startswith("--operators=") else 0
    counts, equal = {}, []
    with folder() as place:
        programs = [(program.name, program) for program in read_programs(paths)]
        for name, program, kind, why in check(programs, judge_in(relayopt, place)):
            kind, why = outcome_of(program, system, kind, why)
            counts[kind] = counts.get(kind, 0) + 1
            if kind == "equal":
                equal.append(program)
            if why:
                print(f"{name}\n    {kind}: {why[-800:]}", flush=True)
    show_counts(counts)
    is_enough = report_operators(relayopt, system, equal, floor)
    sys.exit(0 if is_enough and set(counts) <= {"equal", "refused as they should be"} else 1)


def folder():
    return tempfile.TemporaryDirectory(prefix="relayopt-")
