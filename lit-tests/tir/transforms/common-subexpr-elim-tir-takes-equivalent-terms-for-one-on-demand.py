# With identify_equiv_terms, computations that simplify to the same share a variable.
# RUN: %relayopt --passes='tir.CommonSubexprElimTIR<identify_equiv_terms=true>' %s | FileCheck %s
# RUN: %relayopt --passes=tir.CommonSubexprElimTIR %s | FileCheck %s --check-prefix=PLAIN
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "int32"), n: T.int32, m: T.int32):
    A[n + 1] = A[1 + n] + n // m
    A[n * 2 + 2] = 0
# CHECK: cse_var_1: T.int32 = 1 + n
# CHECK-NEXT: A[cse_var_1] = A[cse_var_1] + n // m
# CHECK: A[n * 2 + 2] = 0
# PLAIN-NOT: cse_var
