# With a limit on steps, serial loops are written out as well.
# RUN: %relayopt "--passes=tir.UnrollLoop<auto_max_step=4>" %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "int32")):
    for i in range(4):
        A[i] = 1
    for i in range(5):
        A[i] = 1
# CHECK:      A[0] = 1
# CHECK-NEXT: A[1] = 1
# CHECK-NEXT: A[2] = 1
# CHECK-NEXT: A[3] = 1
# CHECK-NEXT: for i in range(5):
