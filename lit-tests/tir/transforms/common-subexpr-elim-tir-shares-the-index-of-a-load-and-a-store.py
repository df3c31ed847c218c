# The variable goes around the statement, inside of the loop whose variable it needs.
# RUN: %relayopt --passes=tir.CommonSubexprElimTIR %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32"), j: T.int32):
    for i in range(4):
        A[i * 4 + j] = B[i * 4 + j]
# CHECK:      for i in range(4):
# CHECK-NEXT:   cse_var_1: T.int32 = i * 4 + j
# CHECK-NEXT:   A[cse_var_1] = B[cse_var_1]
