# v is known only below its own let.
# RUN: %relayopt --passes=tir.CommonSubexprElimTIR %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((64,), "int32"), n: T.int32):
    v: T.int32 = A[n]
    w: T.int32 = A[v]
    A[v * 3 + n] = w
    A[1] = A[v * 3 + n]
# CHECK:      v: T.int32 = A[n]
# CHECK-NEXT: cse_var_1: T.int32 = v * 3 + n
# CHECK-NEXT: w: T.int32 = A[v]
# CHECK-NEXT: A[cse_var_1] = w
# CHECK-NEXT: A[1] = A[cse_var_1]
