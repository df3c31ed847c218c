# The variable is replaced and nothing folds; a serial loop stays.
# RUN: %relayopt --passes=tir.transform.UnrollLoop %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "int32")):
    for i in range(4):
        for j in T.unroll(2):
            A[j + 1] = i
# CHECK:      for i in range(4):
# CHECK-NEXT:   A[T.Add(0, 1)] = i
# CHECK-NEXT:   A[T.Add(1, 1)] = i
