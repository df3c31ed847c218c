# RUN: %relayopt --passes=tir.StorageRewrite %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "float32"), E: T.Buffer((16,), "float32")):
    B = T.decl_buffer((16,))
    C = T.decl_buffer((16,))
    for i in range(16):
        B[i] = A[i]
    for i in range(16):
        C[i] = B[15 - i]
    for i in range(16):
        E[i] = C[i]
# CHECK: B = T.decl_buffer((16,))
# CHECK: C = T.decl_buffer((16,))
