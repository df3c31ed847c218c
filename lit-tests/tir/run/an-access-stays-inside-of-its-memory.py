# A view is as large as its memory at the most.
# RUN: not %relayopt --run %s 2>&1 | FileCheck %s --implicit-check-not=error:
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4,), "float32")):
    B = T.Buffer((8,), "float32", data=A.data)
    B[5] = T.float32(1)
# CHECK: [[#@LINE-1]]:5: error: access of 4 bytes at byte 20 of B, which has 16 [outside-memory]
