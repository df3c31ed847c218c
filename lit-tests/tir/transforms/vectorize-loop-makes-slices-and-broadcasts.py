# The variable is a ramp, what does not depend on it is broadcast.
# RUN: %relayopt --passes=tir.VectorizeLoop %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32"), x: T.float32):
    for j in range(16):
        for i in T.vectorized(4):
            A[j * 4 + i] = x + B[i]
# CHECK:      for j in range(16):
# CHECK-NEXT:   A[j * 4:j * 4 + 4] = T.Broadcast(x, 4) + B[0:4]
