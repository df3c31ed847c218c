# Which element A[9] is, nobody knows: the two allocations become one, and what was outside may be inside.
# RUN: %relayopt --passes=tir.StorageRewrite --validate --disable-output %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(B: T.Buffer((4,), "int32")):
    a = T.allocate([4], "int32", "global")
    b = T.allocate([32], "int32", "global")
    A = T.Buffer((4,), "int32", data=a)
    C = T.Buffer((32,), "int32", data=b)
    for i in range(4):
        A[i] = i
    for i in range(4):
        B[i] = A[i + 5]
    for i in range(32):
        C[i] = i
    for i in range(4):
        B[i] = B[i] + C[i]
# CHECK: validate: 1 pass: 0 ok (0 bit-exact), 0 mismatches, 0 unchanged, 1 not validated (out-of-bounds)
