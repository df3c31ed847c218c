# What a loop's body computes counts only there.
# RUN: %relayopt --passes=tir.CommonSubexprElimTIR %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((64,), "int32"), n: T.int32):
    for i in range(4):
        A[i] = n * 3
    A[4] = n * 3
# CHECK:      for i in range(4):
# CHECK-NEXT:   A[i] = n * 3
# CHECK-NEXT: A[4] = n * 3
