# There is no next iteration.
# RUN: not %relayopt --passes=tir.InjectDoubleBuffer %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4,), "float32")):
    b = T.allocate([4], "float32", "shared")
    B = T.Buffer((4,), data=b, scope="shared")
    with T.attr(b, "double_buffer_scope", 1):
        B[0] = A[0]
# CHECK: error: a double_buffer_scope must be inside a loop
