# A program that takes too many steps, and has no unknown extents that could be smaller, is run once and counted.
# RUN: %relayopt --passes=tir.Simplify --validate --max-steps=1000000 --disable-output %s 2>&1 | FileCheck %s
from tvm.script import tir as T


@T.prim_func
def main(A: T.Buffer((1000,), "float32"), B: T.Buffer((1000,), "float32")):
    # CHECK: 1 not validated (evaluation-steps)
    for i, j, k in T.grid(1000, 1000, 1000):
        B[i] = B[i] + A[T.Add(j, 0)] * A[k]
