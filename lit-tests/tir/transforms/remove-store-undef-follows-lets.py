# RUN: %relayopt --passes=tir.RemoveStoreUndef %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "int32")):
    x: T.int32 = T.undef(dtype="int32")
    A[0] = x + 1
    A[1] = T.undef(dtype="int32")
    A[2] = A[3]
# CHECK-NOT: undef
# CHECK-NOT: A[0]
# CHECK: A[2] = A[3]
