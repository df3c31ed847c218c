# The difference of a term and a literal at an end of int64 is no 64-bit integer, and decides nothing.
# RUN: %relayopt --passes=tir.Simplify --validate %s | FileCheck %s
from tvm.script import tir as T


@T.prim_func
def main(A: T.Buffer((2, 2), "int64"), n: T.int64):
    for i in range(2):
        # CHECK: A[i, 0] = T.int64(1)
        A[i, 0] = T.Cast("int64", T.int64(0) - T.Cast("int64", 4 - i) < T.int64(9223372036854775806))
        # CHECK: A[i, 1] = T.Cast("int64", n < T.int64(9223372036854775804))
        A[i, 1] = T.Cast("int64", n - T.int64(4) < T.int64(9223372036854775800))
