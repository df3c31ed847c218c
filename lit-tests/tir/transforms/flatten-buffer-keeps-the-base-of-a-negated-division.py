# What is divided by a number that a negative factor has turned around is not padded for.
# RUN: %relayopt --passes=tir.FlattenBuffer --validate %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8, 2), "int32"), n: T.int32):
    for i in range(6):
        A[(6 - i) // 2 % 6, n % 2] = i
        A[(12 - i * 2) // 4 % 2, n % 2] = i
        A[(6 - i) // 2, n % 2] = i
# CHECK:      A_1[(i // -2 + 3) % 6 * 2 + n % 2] = i
# CHECK-NEXT: A_1[(i // -2 + 1) % 2 * 2 + n % 2] = i
# CHECK-NEXT: A_1[i // -2 * 2 + (n % 2 + 6)] = i
