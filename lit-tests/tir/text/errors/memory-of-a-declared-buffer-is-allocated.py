# The pointer of a buffer is assigned an allocation of its elements and memory only.
# RUN: not %relayopt %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4,), "float32")):
    B = T.Buffer((2, 2), scope="shared")
    B.data = T.allocate([4], "float32", "local")
    A[1] = B[0, 0]

# CHECK: :8:14: error: expected an allocation of this type of elements and memory, found {{.*}} [script-expected]
