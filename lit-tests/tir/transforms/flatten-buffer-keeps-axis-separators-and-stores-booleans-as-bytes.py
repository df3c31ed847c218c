# RUN: %relayopt --passes=tir.FlattenBuffer %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4, 8, 2), "float32", axis_separators=[2]), B: T.Buffer((16,), "bool")):
    for i, j, k in T.grid(4, 8, 2):
        if B[i]:
            A[i, j, k] = T.float32(0)
            B[j] = i < j
# CHECK:      B_1 = T.Buffer((16,), "int8", data=B.data)
# CHECK:      if T.Cast("bool", B_1[i]):
# CHECK:      A_1 = T.Buffer((32, 2), data=A.data, axis_separators=[1])
# CHECK-NEXT: A_1[i * 8 + j, k] = T.float32(0)
# CHECK-NEXT: B_1[j] = T.Cast("int8", i < j)
