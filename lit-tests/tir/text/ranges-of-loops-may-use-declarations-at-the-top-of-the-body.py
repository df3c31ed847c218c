# What only a loop's range and body use is printed at the top of the body.
# RUN: %relayopt --verify-roundtrip %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
    for k in range(A_1[1] - A_1[0] + n):
        n = T.int32()
        A_1 = T.Buffer((8,), "int32", data=A.data)
        B[k] = A_1[k] + n
# CHECK:      for k in range(A_1[1] - A_1[0] + n):
# CHECK-NEXT:   A_1 = T.Buffer((8,), "int32", data=A.data)
# CHECK-NEXT:   n = T.int32()
# CHECK-NEXT:   B[k] = A_1[k] + n
