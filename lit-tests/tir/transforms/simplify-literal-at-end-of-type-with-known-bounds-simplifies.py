# Bounds that prove that a sum with a literal near an end of its type does not overflow allow the rule.
# RUN: %relayopt --passes=tir.Simplify --validate %s | FileCheck %s
from tvm.script import tir as T


@T.prim_func
def main(A: T.Buffer((32,), "int32"), n: T.int32):
    for i in range(8):
        # CHECK: A[i] = 2147483000 - i - n % 16
        A[i] = T.max(2147483000, i + n % 16) - (i + n % 16)
        # CHECK: A[i + 8] = T.Cast("int32", n < 7)
        A[i + 8] = T.Cast("int32", n + 2147483000 < 2147483007)
