# Simplification assumes that indices stay away from the ends of their type: `x - 4` becomes `x + 2`, which wraps around.
# RUN: %relayopt --passes=tir.Simplify --validate %s 2>&1 | FileCheck %s
from tvm.script import tir as T


@T.prim_func
def main(A: T.Buffer((1,), "int32"), B: T.Buffer((1,), "int32")):
    A[0] = 2147483646
    # CHECK: 0 mismatches, 0 unchanged, 1 not validated (an index is near the end of its type)
    # CHECK: B[0] = (A[0] + 2) % 6
    B[0] = (A[0] - 4) % 6
