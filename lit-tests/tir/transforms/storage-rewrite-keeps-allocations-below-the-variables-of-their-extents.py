# RUN: %relayopt --passes=tir.StorageRewrite %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "float32"), n: T.int32):
    for i in range(16):
        B = T.decl_buffer((i + 1,))
        C = T.decl_buffer((n,))
        B[i] = A[i]
        C[0] = B[i]
        A[i] = C[0]
# CHECK:      C = T.decl_buffer((n,))
# CHECK-NEXT: for i in range(16):
# CHECK-NEXT:   B = T.decl_buffer((i + 1,))
