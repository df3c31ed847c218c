# An allocation may name the pointer of a buffer that is declared before it, as it is then printed.
# RUN: %relayopt %s | FileCheck %s
# RUN: %relayopt %s | %relayopt - | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4,), "float32")):
    B = T.Buffer((2, 2), scope="shared")
    T.attr(B, "note", 1)
    B.data = T.allocate([4], "float32", "shared")
    B_1 = T.Buffer((4,), data=B.data, scope="shared")
    B_1[0] = A[0]
    A[1] = B_1[0]

# CHECK: B = T.Buffer((2, 2), scope="shared")
# CHECK-NEXT: T.attr(B, "note", 1)
# CHECK-NEXT: B.data = T.allocate([4], "float32", "shared")
# CHECK-NEXT: B_1 = T.Buffer((4,), data=B.data, scope="shared")
