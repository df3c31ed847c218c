# The condition does not depend on the loop, and the loop holds nothing else.
# RUN: %relayopt --passes=tir.HoistIfThenElse %s | FileCheck %s
# RUN: %relayopt --passes=tir.HoistIfThenElseBasic %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "float32"), n: T.int32):
    for i in range(8):
        if n != 0:
            A[i] = T.float32(0)
# CHECK:      if n != 0:
# CHECK-NEXT:     for i in range(8):
# CHECK-NEXT:         A[i] = T.float32(0)
