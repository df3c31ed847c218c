# Loads of 16 bits, loads where the guard does not hold, and values that are not literals.
# RUN: %relayopt --passes=tir.InjectPTXLDG32 %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((32,), "float32"), H: T.Buffer((32,), "float16"), G: T.Buffer((32,), "float16"), C: T.Buffer((32,), "float32")):
    for t in range(32):
        G[t] = T.if_then_else(t < 16, H[t], T.float16(0))
        C[t] = T.if_then_else(t < 16, T.float32(0), A[t])
        C[t] = T.if_then_else(t < 16, A[t], A[0])
# CHECK-NOT: ldg32
# CHECK:     G[t] = T.if_then_else(t < 16, H[t], T.float16(0))
# CHECK-NOT: ldg32
