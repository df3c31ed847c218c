# The lanes of a ramp overflow as the sums do that they stand for.
# RUN: %relayopt --passes=tir.VectorizeLoop,tir.HoistExpression --validate=each %s --disable-output 2>&1 | FileCheck %s
# CHECK: 0 mismatches, 0 unchanged, 1 not validated (an integer overflows)
from tvm.script import tir as T


@T.prim_func
def main(B: T.Buffer((4,), "int32")):
    for i in T.vectorized(4):
        B[i] = (i + 2147483647) // 7
