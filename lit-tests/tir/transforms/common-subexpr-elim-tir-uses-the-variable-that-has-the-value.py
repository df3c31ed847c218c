# In the body of the loop n * 3 is v; then a statement of it has v + 1 twice.
# RUN: %relayopt --passes=tir.CommonSubexprElimTIR %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((64,), "int32"), n: T.int32):
    v: T.int32 = n * 3
    for i in range(4):
        A[i] = n * 3
        A[v + 1] = n * 3 + 1
# CHECK:      v: T.int32 = n * 3
# CHECK-NEXT: for i in range(4):
# CHECK-NEXT:   A[i] = v
# CHECK-NEXT:   cse_var_1: T.int32 = v + 1
# CHECK-NEXT:   A[cse_var_1] = cse_var_1
