"""Runs programs in TVM as relayopt writes them in Relax, and compares with what relayopt computes.

usage: check_relax.py RELAYOPT [--operators=N] PROGRAMS.txt|NETWORK.relay|MODEL.onnx ...

Needs apache-tvm 0.27 and numpy. Prints each program that differs, a closing line, and how many operators have been run in
this form; exit status 1 when a program differs or less than N operators have been run.
"""

import os

import numpy as np

import tvm  # noqa: F401  pylint: disable=unused-import

from runs import difference, main, run_relayopt, write_and_load
from programs import make_arguments


def judge_in(relayopt, place):
    def judge(program):
        python, inputs, outputs = (os.path.join(place, f"case{program.number}{ending}")
                                   for ending in (".py", ".in.npz", ".out.npz"))
        source = program.write(place)
        module = write_and_load(relayopt, source, python)
        arguments = make_arguments(program, module.INPUTS)
        np.savez(inputs, **arguments)
        run_relayopt(relayopt, "--run", "--inputs=" + inputs, "-o", outputs, source)
        wanted = np.load(outputs)
        arrays = module.run(arguments)
        return difference(arrays, [wanted[name] for name in wanted.files])

    return judge


if __name__ == "__main__":
    main("relax", judge_in)
