# RUN: %relayopt --passes=tir.RemoveAssume %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "int32"), n: T.int32):
    T.assume(n > 0)
    for i in range(16):
        T.evaluate(T.assume(A[i] > 0))
    A[0] = n
# CHECK-NOT: assume
# CHECK-NOT: for
# CHECK: A[0] = n
