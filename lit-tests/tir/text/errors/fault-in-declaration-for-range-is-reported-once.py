# RUN: not %relayopt %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(B: T.Buffer((8,), "int32")):
    for k in range(A_1[1]):
        A_1 = T.Buffer((8,), "int32", data=A.data)
        B[k] = 1
# CHECK:     :7:44: error: Undefined variable: A
# CHECK-NOT: error:
