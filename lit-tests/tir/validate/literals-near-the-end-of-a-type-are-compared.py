# Literals near the ends are part of the program: rewrites that use them need a proof, and the results are compared.
# RUN: %relayopt --passes=tir.Simplify --validate %s 2>&1 | FileCheck %s
from tvm.script import tir as T


@T.prim_func
def main(A: T.Buffer((1,), "int32"), B: T.Buffer((3,), "int32")):
    # CHECK: 1 ok (0 bit-exact), 0 mismatches, 0 unchanged, 0 not validated
    A[0] = 5
    B[0] = (A[0] - 4) % 6
    # CHECK: B[1] = T.max(A[0], -2147483647) - A[0]
    B[1] = T.max(A[0], -2147483647) - A[0] + 0
    # CHECK: B[2] = (T.max(A[0], 2147483646) - 4) % 6
    B[2] = (T.max(A[0], 2147483646) - 4) % 6 + 0
