# A block runs for values of its domain.
# RUN: not %relayopt --run %s 2>&1 | FileCheck %s --implicit-check-not=error:
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4,), "float32")):
    for i in range(4):
        with T.block("b"):
# CHECK: [[#@LINE-1]]:9: error: block axis 0 is 3, outside of [0, 3) [outside-domain]
            v = T.axis.spatial(3, i)
            T.reads()
            T.writes(A[v])
            A[v] = T.float32(1)
