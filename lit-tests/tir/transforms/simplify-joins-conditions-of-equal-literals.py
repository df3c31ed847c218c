# A conditional in the true value of another, both with the same scalar literal otherwise, integer or float.
# RUN: %relayopt --passes=tir.Simplify %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32"), n: T.int32, m: T.int32):
    B[0] = T.if_then_else(n > 0, T.if_then_else(m > 0, A[0], T.float32(0)), T.float32(0))
    B[1] = T.if_then_else(n > 0, T.if_then_else(m > 0, A[0], T.float32(0)), T.float32(1))
    B[2] = T.if_then_else(n > 0, T.if_then_else(m > 0, A[0], T.float32(-0.0)), T.float32(0))
    B[3:5] = T.if_then_else(n > 0, T.if_then_else(m > 0, A[3:5], T.Broadcast(T.float32(0), 2)), T.Broadcast(T.float32(0), 2))
# CHECK:      B[0] = T.if_then_else(0 < n and 0 < m, A[0], T.float32(0))
# CHECK-NEXT: B[1] = T.if_then_else(0 < n, T.if_then_else(0 < m, A[0], T.float32(0)), T.float32(1))
# CHECK-NEXT: B[2] = T.if_then_else(0 < n, T.if_then_else(0 < m, A[0], T.float32(-0)), T.float32(0))
# CHECK-NEXT: B[3:5] = T.if_then_else(0 < n, T.if_then_else(0 < m, A[3:5], T.Broadcast(T.float32(0), 2)), T.Broadcast(T.float32(0), 2))
