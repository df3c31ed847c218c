# Fixed-point products are rounded only where bits are cut off, and become shifts only where they are.
# RUN: %relayopt --passes=tir.LowerIntrin --validate %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int32")):
    T.func_attr({"target": T.target("llvm")})
    B[0] = T.q_multiply_shift(A[0], 1073741824, 31, 1)
    B[1] = T.q_multiply_shift(A[1], 1073741824, 31, 3)
    B[2] = T.q_multiply_shift(A[2], 1073741824, 31, -1)
    B[3] = T.q_multiply_shift(A[3], 1073741824, 30, 1)
# CHECK:      B[0] = A[0]{{$}}
# CHECK-NEXT: B[1] = T.shift_left(A[1], 2)
# CHECK-NEXT: B[2] = T.shift_right(A[2] + 2, 2)
# CHECK-NEXT: B[3] = T.Cast("int32", T.shift_right({{.*}} * T.int64(1073741824) + {{.*}}))
