# Nothing is known of n.
# RUN: %relayopt --passes=tir.Simplify %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "float32"), n: T.int32):
    for i in range(8):
        if i < n:
            A[i] = T.float32(1)
# CHECK:      for i in range(8):
# CHECK-NEXT:   if i < n:
# CHECK-NEXT:     A[i] = T.float32(1)
