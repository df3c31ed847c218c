# What is padded for one remainder is none for another that begins at another place.
# RUN: %relayopt --passes=tir.FlattenBuffer --validate %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4, 4), "int32"), C: T.Buffer((3, 8), "int32")):
    for i in range(6):
        C[0, i] = A[(i * 2 + 2) % 4, i % 2 * 2]
        C[1, i] = A[(i + 1) % 2, i % 2]
        C[2, i] = A[(i + 1) % 2, (i + 1) // 2]
# CHECK:      C_1[i] = A_1[(i * 2 + 2) % 4 * 4 + i % 2 * 2]
# CHECK-NEXT: C_1[i + 8] = A_1[(i + 1) % 2 * 4 + i % 2]
# CHECK-NEXT: C_1[i + 16] = A_1[(i + 1) % 2 * 4 + (i + 1) // 2]
