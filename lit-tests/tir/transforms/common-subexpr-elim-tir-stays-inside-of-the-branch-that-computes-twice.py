# RUN: %relayopt --passes=tir.CommonSubexprElimTIR %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((64,), "int32"), n: T.int32):
    if A[0] > 0:
        A[n * 3] = 1
        A[n * 3 + 1] = 2
    else:
        A[2] = 3
# CHECK:      if A[0] > 0:
# CHECK-NEXT:   cse_var_1: T.int32 = n * 3
# CHECK-NEXT:   A[cse_var_1] = 1
# CHECK-NEXT:   A[cse_var_1 + 1] = 2
