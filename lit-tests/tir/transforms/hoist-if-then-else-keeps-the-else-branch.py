# Where n is not below 3 the loop still stores by the other branch.
# RUN: %relayopt --passes=tir.HoistIfThenElseBasic --validate %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(n: T.int32, A: T.Buffer((8,), "int32")):
    for i in range(5):
        if n == i:
            if n < 3:
                A[n] = 1
        else:
            A[i] = 0
# CHECK: if n < 3:
# CHECK: A[n] = 1
# CHECK: else:
# CHECK: for i in range(5):
# CHECK-NEXT: if not n == i:
# CHECK-NEXT: A[i] = 0
