# RUN: not %relayopt %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
    for k in range(A_1[1]):
        B[k] = 1
        A_1 = T.Buffer((8,), "int32", data=A.data)
# CHECK: :6:20: error: Undefined variable: A_1 (did you mean 'A'?)
# CHECK-NEXT: for k in range(A_1[1]):
