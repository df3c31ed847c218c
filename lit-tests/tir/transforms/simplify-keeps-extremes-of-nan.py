# Which operand is taken when one is NaN differs between processors, and so it does between zeros of two signs: here
# the second is taken, as by what computes them.
# RUN: %relayopt --passes=tir.Simplify --validate=each %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((6,), "float32"), B: T.Buffer((2,), "e4m3_float8")):
    A[0] = T.max(T.float32(1), T.float32("nan"))
    A[1] = T.min(T.float32("nan"), T.float32(1))
    A[2] = T.max(T.float32(0), T.float32(-0.0))
    A[3] = T.max(T.float32(2), T.float32(3))
    B[0] = T.min(T.e4m3_float8(0), T.Cast("e4m3_float8", 2147483647))
# CHECK:      A[0] = T.max(T.float32(1), T.float32("nan"))
# CHECK-NEXT: A[1] = T.min(T.float32("nan"), T.float32(1))
# CHECK-NEXT: A[2] = T.float32(-0)
# CHECK-NEXT: A[3] = T.float32(3)
# CHECK-NEXT: B[0] = T.min(T.e4m3_float8(0), T.e4m3_float8("nan"))
