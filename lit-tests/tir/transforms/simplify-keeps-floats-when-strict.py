# x - x of an infinity is not a number, and what rounds cannot be taken apart.
# RUN: %relayopt --strict-fp --passes=tir.Simplify --validate=each --validate-edge %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "float32"), x: T.float32, y: T.float32):
    A[0] = x - (x + y)
    A[1] = x - x
    A[2] = x / T.float32(3)
    if not x < y:
        A[3] = y
    A[4] = x + T.float32(0) * y
# CHECK:      A[0] = x - (x + y)
# CHECK-NEXT: A[1] = x - x
# CHECK-NEXT: A[2] = x / T.float32(3)
# CHECK-NEXT: if not x < y:
