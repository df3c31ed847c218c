# A dividend with a lower bound is made positive by a multiple of the divisor, unless that may leave the type.
# RUN: %relayopt --passes=tir.LowerIntrin %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "int32"), n: T.int32):
    T.func_attr({"target": T.target("llvm")})
    A[0] = (n + 7) // 6
    A[1] = (n + 7) % 6
    for i in range(8):
        A[i] = (i - 3) // 6
        A[i] = (i - T.max(n, 0)) % 6
# CHECK:      A[0] = T.Div(n + 7, 6) + T.shift_right(T.truncmod(n + 7, 6), 31)
# CHECK-NEXT: A[1] = T.truncmod(n + 7, 6) + T.bitwise_and(6, T.shift_right(T.truncmod(n + 7, 6), 31))
# CHECK:      A[i] = T.Div(i + 3, 6) - 1
# CHECK-NEXT: A[i] = T.truncmod(i - T.max(n, 0), 6) + T.bitwise_and(6, T.shift_right(T.truncmod(i - T.max(n, 0), 6), 31))
