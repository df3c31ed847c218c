# C is declared for the body alone, and may use i; A_1 and n are declared for the range as well, and one uses the other.
# RUN: %relayopt %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
    for i in range(8):
        C = T.Buffer((4,), "int32", data=B.data, elem_offset=i)
        C[0] = i
    for i in range(A_1[0]):
        C = T.Buffer((4,), "int32", data=B.data, elem_offset=i)
        n = T.int32()
        A_1 = T.Buffer((n,), "int32", data=A.data)
        C[0] = A_1[i]
# CHECK:      for i in range(8):
# CHECK-NEXT:   C = T.Buffer((4,), "int32", data=B.data, elem_offset=i)
# CHECK:      for i in range(A_1[0]):
# CHECK:        A_1 = T.Buffer((n,), "int32", data=A.data)
# CHECK:        C[0] = A_1[i]
