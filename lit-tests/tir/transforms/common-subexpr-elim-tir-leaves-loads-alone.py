# A load may see another value the second time.
# RUN: %relayopt --passes=tir.CommonSubexprElimTIR %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    A[0] = B[0] + T.float32(1)
    A[1] = B[0] + T.float32(1)
# CHECK-NOT: cse_var
# CHECK: A[0] = B[0] + T.float32(1)
# CHECK: A[1] = B[0] + T.float32(1)
