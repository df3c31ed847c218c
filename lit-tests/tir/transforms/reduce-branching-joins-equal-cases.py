# A branch goes if its cases do the same, and if a case stores what is there.
# RUN: %relayopt --passes=tir.ReduceBranchingThroughOvercompute --validate %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "float32"), n: T.int32):
    for i in range(16):
        if i < n:
            A[i] = T.float32(0)
        else:
            A[i] = T.float32(0)
        if i < n:
            T.evaluate(0)
        if i < n:
            A[i] = A[i]
        if i < n:
            A[i] = T.float32(1)
# CHECK:      for i in range(16):
# CHECK-NEXT:     A[i] = T.float32(0)
# CHECK-NEXT:     A[i] = A[i]
# CHECK-NEXT:     if i < n:
# CHECK-NEXT:         A[i] = T.float32(1)
