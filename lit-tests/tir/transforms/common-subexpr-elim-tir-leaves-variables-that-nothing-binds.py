# RUN: %relayopt --passes=tir.CommonSubexprElimTIR %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(a: T.handle):
    n = T.int32()
    A = T.match_buffer(a, (n,), "int32")
    A[n - 1] = A[n - 1] + 1
# CHECK:     A[n - 1] = A[n - 1] + 1
# CHECK-NOT: cse_var
