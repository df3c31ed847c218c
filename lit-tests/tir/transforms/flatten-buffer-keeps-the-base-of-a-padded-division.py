# One padding serves several divisors only where it is what each of them needs, and none has a divisor below zero.
# RUN: %relayopt --validate --passes=tir.FlattenBuffer %s > %t 2>&1 && FileCheck %s < %t
from tvm.script import tir as T

@T.prim_func
def main(B: T.Buffer((4, 4), "int32"), C: T.Buffer((4, 6), "int32")):
    for i in range(6, 12):
        B[1, (i + 7) // 7 % 4] = i
    for j in range(3, 6):
        C[2, j] = C[(2 - j) % 4, 0] + j
# CHECK: validate: 1 pass: 1 ok
# CHECK: B_1[(i // 7 + 1) % 4 + 4] = i
# CHECK: C_1[(2 - j) % 4 * 6]
