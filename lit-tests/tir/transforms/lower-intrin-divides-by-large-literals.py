# A dividend is not made positive by a multiple of a literal that is so large that the sum leaves the type.
# RUN: %relayopt --passes='tir.BindTarget<target=llvm>,tir.LowerIntrin' --validate --validate-edge %s 2>&1 | FileCheck %s
from tvm.script import tir as T


@T.prim_func
def main(A: T.Buffer((8,), "int32"), B: T.Buffer((2, 8), "int32")):
    # CHECK: validate: 2 passes: 2 ok (1 bit-exact), 0 mismatches, 0 unchanged, 0 not validated
    for i in range(8):
        # CHECK: B[0, i] = T.Div(T.max(T.min(A[i], 6), -6), 2147483647) + T.shift_right(
        B[0, i] = T.max(T.min(A[i], 6), -6) // 2147483647
        # CHECK: B[1, i] = T.truncmod(T.max(A[i], -6), 2147483000) + T.bitwise_and(2147483000,
        B[1, i] = T.max(A[i], -6) % 2147483000
