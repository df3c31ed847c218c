# RUN: not %relayopt --passes='tir.CommonSubexprElimTIR<identify_equiv_terms=true>' %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "int32"), n: T.int32):
    A[n + 1] = A[1 + n]
# CHECK: error: tir.CommonSubexprElimTIR: the option identify_equiv_terms is not supported [cse-equiv-terms]
