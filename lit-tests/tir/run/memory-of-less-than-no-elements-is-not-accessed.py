# RUN: not %relayopt --run %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(B: T.Buffer((1,), "int32")):
    A = T.allocate([T.Sub(0, 4)], "int32", "global")
    A_1 = T.Buffer((4,), "int32", data=A)
    A_1[0] = 1
# CHECK: :[[# @LINE - 1]]:5: error: access of 4 bytes at byte 0 of A_1, which has 0
