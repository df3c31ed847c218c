# A product with what is provably positive stays a ramp; what is known of variables outside of the loop does not count.
# RUN: %relayopt --passes=tir.VectorizeLoop %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((64,), "float32"), m: T.int32):
    for j in range(1, 4):
        for i in T.vectorized(4):
            A[i * (m % 2 + 1)] = T.float32(1)
            A[T.max(m, 1) * i] = T.float32(2)
            A[i * j] = T.float32(3)
# CHECK: A[T.Ramp(0, m % 2 + 1, 4)] = T.Broadcast(T.float32(1), 4)
# CHECK-NEXT: A[T.Ramp(0, T.max(m, 1), 4)] = T.Broadcast(T.float32(2), 4)
# CHECK-NEXT: A[T.Ramp(0, 1, 4) * T.Broadcast(j, 4)] = T.Broadcast(T.float32(3), 4)
