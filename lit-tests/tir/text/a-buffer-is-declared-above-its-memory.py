# TVM prints the buffer of an allocation above it where that is all of a branch, and cannot read it. Here it is read.
# RUN: %relayopt %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def one(A: T.Buffer((4,), "float32"), n: T.int32):
    if n <= 6:
        M_1 = T.Buffer((8,), data=M)
        # A comment changes nothing.
        M = T.allocate([8], "float32", "global")
        M_1[0] = T.float32(1)
        A[0] = M_1[0]

@T.prim_func
def two(A: T.Buffer((4,), "float32"), n: T.int32):
    M_1 = T.Buffer((8,), data=M)
    m = T.int32()
    L_1 = T.Buffer((4,), data=L, scope="local")
    M = T.allocate([8], "float32", "global")
    L = T.allocate([4], "float32", "local")
    L_1[0] = M_1[0]
# CHECK: if n <= 6:
# CHECK-NEXT: M_1_1 = T.Buffer((8,), data=M_1)
# CHECK-NEXT: M_1 = T.allocate([8], "float32", "global")
# CHECK-NEXT: M_1_1[0] = T.float32(1)
# CHECK: M_1 = T.allocate([8], "float32", "global")
# CHECK-NEXT: L_1 = T.allocate([4], "float32", "local")
# CHECK-NEXT: L_1_1 = T.Buffer((4,), data=L_1, scope="local")
# CHECK-NEXT: M_1_1 = T.Buffer((8,), data=M_1)
# CHECK-NEXT: L_1_1[0] = M_1_1[0]
