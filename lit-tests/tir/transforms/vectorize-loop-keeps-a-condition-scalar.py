# A condition on the lane makes a serial loop over the lanes.
# RUN: %relayopt --passes=tir.VectorizeLoop %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4,), "float32"), n: T.int32):
    for i in T.vectorized(4):
        if i < n:
            A[i] = T.float32(1)
# CHECK:      for i_s in range(4):
# CHECK-NEXT:   if i_s < n:
# CHECK-NEXT:     A[i_s] = T.float32(1)
