# An index that overflows is undefined, so that a fault of the access afterwards says nothing about the pass.
# RUN: %relayopt --passes=tir.Simplify --validate %s --disable-output 2>&1 | FileCheck %s
from tvm.script import tir as T


@T.prim_func
def main(A: T.Buffer((64,), "int32"), B: T.Buffer((6, 64), "int32")):
    # CHECK: 1 not validated
    # CHECK: an integer overflows
    for i in range(64):
        B[3, i] = B[T.max(T.min(-2147483647 - T.min(6, A[i]), 5), 0), i]
