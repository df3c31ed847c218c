"""What the checks of Relax share: a module is written by relayopt, compiled and run by TVM, and its results are compared.

Each program runs in a process of its own, forked from one that has loaded TVM and has run nothing: a crash costs one
program.
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

os.environ.setdefault("TVM_NUM_THREADS", "1")
import tvm  # noqa: E402, F401  pylint: disable=unused-import,wrong-import-position

TIMEOUT = 200


class NotWritten(RuntimeError):
    """relayopt refused to write the module."""


def run_relayopt(relayopt, *arguments):
    done = subprocess.run([relayopt, *arguments], capture_output=True, text=True, timeout=TIMEOUT, check=False)
    if done.returncode != 0:
        raise NotWritten(done.stderr.strip())


def write_and_load(relayopt, model, python, *flags):
    """Writes the model as Relax and imports what was written, which TVM reads and checks then."""
    run_relayopt(relayopt, model, *flags, "-o", python)
    spec = importlib.util.spec_from_file_location(os.path.basename(python)[:-3], python)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def difference(arrays, wanted, float_tolerance):
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
        tolerance = {"rtol": 2e-2, "atol": 2e-2} if right.dtype == np.float16 else float_tolerance
        a, b = array.astype("float64"), right.astype("float64")
        if not np.allclose(a, b, equal_nan=True, **tolerance):
            with np.errstate(invalid="ignore"):
                return f"output {i} differs by {np.nanmax(np.abs(a - b)):.3g}, the largest is {np.nanmax(np.abs(b)):.3g}"
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
            is_read = "[relax-" in str(error) or "[no-relax-form]" in str(error)
            sender.send(("not written" if is_read or "[onnx-" not in str(error) else "not imported", str(error)))
        except BaseException as error:  # pylint: disable=broad-except
            sender.send(("refused by TVM", f"{type(error).__name__}: {error}"))

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
    """Judges (name, payload) pairs, prints those that are not equal, and gives the counts of outcomes. There are no
    threads here: a process that is forked beside one may wait for ever for what the other held."""
    counts = {}
    pending = list(reversed(programs))
    running = {}
    while pending or running:
        while pending and len(running) < os.cpu_count():
            name, payload = pending.pop()
            receiver, process = start(judge, payload)
            running[receiver] = (name, process, time.monotonic() + TIMEOUT)
        ready = multiprocessing.connection.wait(list(running), timeout=1)
        late = [receiver for receiver, (_, _, end) in running.items() if time.monotonic() > end]
        for receiver in {*ready, *late}:
            name, process, _ = running.pop(receiver)
            kind, why = finish(receiver, process)
            counts[kind] = counts.get(kind, 0) + 1
            if kind not in ("equal", "not imported"):
                print(f"{name}\n    {kind}: {why[-800:]}", flush=True)
    return counts


def folder():
    return tempfile.TemporaryDirectory(prefix="relax-")
