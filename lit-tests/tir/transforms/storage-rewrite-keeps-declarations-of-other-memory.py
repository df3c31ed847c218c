# A declaration directly below an allocation may be one of memory that is allocated around it.
# RUN: %relayopt --passes=tir.StorageRewrite --validate %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "float32")):
    a = T.allocate([64], "uint8", "global")
    b = T.allocate([16], "float32", "global")
    X = T.decl_buffer((16,), "float32", data=a)
    Y = T.decl_buffer((16,), "float32", data=b)
    for i in range(16):
        X[i] = A[i]
        Y[i] = X[i]
        A[i] = X[i] + Y[i]
# CHECK:      X = T.allocate([16], "float32", "global")
# CHECK-NEXT: Y = T.allocate([16], "float32", "global")
# CHECK-NEXT: X_1 = T.decl_buffer((16,), data=X)
# CHECK-NEXT: Y_1 = T.decl_buffer((16,), data=Y)
