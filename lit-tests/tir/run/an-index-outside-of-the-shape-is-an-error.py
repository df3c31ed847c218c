# The place and the values of loops are reported.
# RUN: not %relayopt --run %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4, 4), "float32")):
    for i in range(4):
        for j in range(4):
            A[i, j + i] = T.float32(0)
# CHECK: [[#@LINE-1]]:13: error: index 4 of axis 1 of A is outside of [0, 4) [out-of-bounds]
# CHECK: note: where i = 1, j = 3
