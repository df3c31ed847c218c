"""Runs programs in onnxruntime as relayopt writes them in ONNX, and compares with what relayopt computes.

usage: check_onnx.py RELAYOPT [--operators=N] PROGRAMS.txt|NETWORK.relay|MODEL.onnx ...

Needs onnx, onnxruntime and numpy. Each model is checked by onnx.checker, run with all optimizations and with none, and
written a second and a third time from what was written: these two must have the same bytes and compute the same. Prints
each program that differs, a closing line, and how many operators have been run in this form; exit status 1 when a program
differs or less than N operators have been run.
"""

import os

import numpy as np
import onnx

from onnx_runtime import interface, session
from runs import difference, main, run_relayopt
from programs import make_arguments


def bytes_of(path):
    with open(path, "rb") as file:
        return file.read()


def judge_in(relayopt, place):
    def judge(program):
        model, again, third, inputs, outputs = (os.path.join(place, f"case{program.number}{ending}")
                                                for ending in (".onnx", ".2.onnx", ".3.onnx", ".in.npz", ".out.npz"))
        source = program.write(place)
        run_relayopt(relayopt, source, "-o", model)
        proto = onnx.load(model)
        onnx.checker.check_model(proto, full_check=True)
        arguments = make_arguments(program, interface(proto))
        np.savez(inputs, **arguments)
        run_relayopt(relayopt, "--run", "--inputs=" + inputs, "-o", outputs, source)
        wanted = list(np.load(outputs).values())
        for optimized in (False, True):
            why = difference(session(model, optimized).run(None, arguments), wanted)
            if why:
                return why + (" with optimizations" if optimized else "")
        if program.is_once:
            return ""
        run_relayopt(relayopt, model, "-o", again)
        run_relayopt(relayopt, again, "-o", third)
        if bytes_of(again) != bytes_of(third):
            return "written a third time it differs from the second"
        why = difference(session(again, False).run(None, arguments), wanted)
        return why + " written a second time" if why else ""

    return judge


if __name__ == "__main__":
    main("onnx", judge_in)
