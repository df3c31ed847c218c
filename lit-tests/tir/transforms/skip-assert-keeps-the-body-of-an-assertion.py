# RUN: %relayopt --passes=tir.SkipAssert %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "int32"), n: T.int32):
    assert n == 4, "n"
    A[0] = n
# CHECK-NOT: assert
# CHECK: A[0] = n
