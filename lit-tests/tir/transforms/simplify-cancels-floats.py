# As TVM, for real numbers; --strict-fp keeps them.
# RUN: %relayopt --passes=tir.Simplify %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "float32"), x: T.float32, y: T.float32):
    A[0] = x - (x + y)
    A[1] = x - x
# CHECK:      A[0] = T.float32(0) - y
# CHECK-NEXT: A[1] = T.float32(0)
