# As in TVM, a buffer that is declared over memory gives that its name when it is read. --verify-roundtrip compares the
# structure of tensor programs, which stays the same.
# RUN: %relayopt --verify-roundtrip %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4,), "float32")):
    M = T.allocate([8], "float32", "global")
    M_1 = T.Buffer((8,), data=M)
    M_1[0] = A[0]
# CHECK: M_1 = T.allocate([8], "float32", "global")
# CHECK-NEXT: M_1_1 = T.Buffer((8,), data=M_1)
