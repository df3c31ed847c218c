# Memory that is allocated in a vectorized loop has an element for each lane, also where a statement stays a loop over the lanes.
# RUN: %relayopt --passes=tir.VectorizeLoop --validate %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4,), "float32"), C: T.Buffer((4,), "float32"), m: T.int32):
    for i in T.vectorized(4):
        B = T.allocate([2], "float32", "local")
        B_1 = T.Buffer((2,), "float32", data=B, scope="local")
        if i < m:
            B_1[0 + 1] = A[i]
        else:
            B_1[1] = T.float32(0)
        C[i] = B_1[m - m + 1]
# CHECK:      B_1 = T.allocate([8], "float32", "local")
# CHECK-NEXT: B_1_1 = T.Buffer((8,), data=B_1, scope="local")
# CHECK-NEXT: for i_s in range(4):
# CHECK-NEXT:     if i_s < m:
# CHECK-NEXT:         B_1_1[i_s + 4] = A[i_s]
# CHECK-NEXT:     else:
# CHECK-NEXT:         B_1_1[i_s + 4] = T.float32(0)
# CHECK-NEXT: C[0:4] = B_1_1[4:8]
