# An index that adds a division of a loop that begins later keeps what the division is more by.
# RUN: %relayopt --passes=tir.FlattenBuffer --validate %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(B: T.Buffer((4, 1), "uint8"), C: T.Buffer((16, 1), "uint8")):
    for i in range(6):
        for j in range(5, 10):
            B[(i + j // 3) % 4, 0] = T.Cast("uint8", i)
            C[i + j // 3, 0] = T.Cast("uint8", j)
# CHECK: B_1[(j // 3 + i) % 4]
# CHECK: C_1[(j - 5 + 2) // 3 + i + 1]
