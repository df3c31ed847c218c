# Of i % 5 nothing is known but that it is smaller than 5: its remainder is not that of i.
# RUN: %relayopt --passes=tir.FlattenBuffer --validate=each %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(B: T.Buffer((4,), "int32"), C: T.Buffer((2,), "int32")):
    for i in range(6):
        B[i % 5 % 4] = i
        C[i % 5 // 4] = i
# CHECK: B_1[i % 5 % 4] = i
# CHECK: C_1[i % 5 // 4] = i
