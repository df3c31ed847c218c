# (x % 16) // 4 is (x // 4) % 4, but of a negative modulus the remainder is not.
# RUN: %relayopt --passes=tir.RenormalizeSplitPattern --validate %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(B: T.Buffer((24,), "int32")):
    for i in range(12):
        B[i] = (i % -6) // 6
        B[i + 12] = (i % 6) // 3
# CHECK:      B[i] = i % -6 // 6
# CHECK-NEXT: B[i + 12] = i // 3 % 2
