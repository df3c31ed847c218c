# n * 3 + 1 and n * 3 + 2 become variables first, the larger text inside; then their common part does.
# RUN: %relayopt --passes=tir.CommonSubexprElimTIR %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((64,), "int32"), n: T.int32):
    A[n * 3 + 1] = n * 3 + 2
    A[n * 3 + 2] = n * 3 + 1
# CHECK:      cse_var_3: T.int32 = n * 3
# CHECK-NEXT: cse_var_2: T.int32 = cse_var_3 + 2
# CHECK-NEXT: cse_var_1: T.int32 = cse_var_3 + 1
# CHECK-NEXT: A[cse_var_1] = cse_var_2
# CHECK-NEXT: A[cse_var_2] = cse_var_1
