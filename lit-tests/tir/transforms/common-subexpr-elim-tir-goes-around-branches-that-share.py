# RUN: %relayopt --passes=tir.CommonSubexprElimTIR %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((64,), "int32"), n: T.int32):
    if A[0] > 0:
        A[n * 3] = 1
    else:
        A[n * 3] = 2
# CHECK:      cse_var_1: T.int32 = n * 3
# CHECK-NEXT: if A[0] > 0:
# CHECK-NEXT:   A[cse_var_1] = 1
# CHECK-NEXT: else:
# CHECK-NEXT:   A[cse_var_1] = 2
