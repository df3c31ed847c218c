# Each operand goes above the loops whose variable it does not use.
# RUN: %relayopt --passes=tir.HoistExpression %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((64,), "float32"), n: T.int32):
    for i, j in T.grid(8, 8):
        if i < n and j < n:
            A[i * 8 + j] = T.float32(0)
# CHECK:      for i in range(8):
# CHECK-NEXT:     if i < n:
# CHECK-NEXT:         for j in range(8):
# CHECK-NEXT:             if j < n:
# CHECK-NEXT:                 A[i * 8 + j] = T.float32(0)
