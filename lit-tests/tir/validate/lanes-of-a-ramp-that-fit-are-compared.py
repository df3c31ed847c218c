# Lanes that stay within their type are compared, also near its end.
# RUN: %relayopt --passes=tir.VectorizeLoop,tir.HoistExpression --validate=each %s --disable-output 2>&1 | FileCheck %s
# CHECK: validate: 4 passes: 4 ok (3 bit-exact), 0 mismatches, 0 unchanged, 0 not validated
from tvm.script import tir as T


@T.prim_func
def main(B: T.Buffer((4,), "int32")):
    for i in T.vectorized(4):
        B[i] = (i + 2147483644) // 7
