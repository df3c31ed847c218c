# C takes the memory of B over element by element, and D that of both after them.
# RUN: %relayopt --passes=tir.StorageRewrite %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "float32"), E: T.Buffer((16,), "float32")):
    B = T.decl_buffer((16,))
    C = T.decl_buffer((16,))
    for i in range(16):
        B[i] = A[i]
    for i in range(16):
        C[i] = B[i] + T.float32(1)
    for i in range(16):
        E[i] = C[15 - i]
    D = T.decl_buffer((12,))
    for i in range(12):
        D[i] = A[i]
    for i in range(12):
        E[i] = D[11 - i]
# CHECK:      B = T.decl_buffer((16,))
# CHECK-NEXT: B_1 = T.decl_buffer((16,), data=B.data)
# CHECK:      B_1[i] = B[i] + T.float32(1)
# CHECK:      B_2 = T.decl_buffer((12,), data=B.data)
