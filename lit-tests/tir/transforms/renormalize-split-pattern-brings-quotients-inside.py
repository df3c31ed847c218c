# RUN: %relayopt --passes=tir.RenormalizeSplitPattern %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((64,), "int32"), x: T.int32, y: T.int32):
    A[0] = x % 16 // 4
    A[1] = (x * 8 + y) // 16
    A[2] = x % 15 // 4
    if x < 16:
        A[3] = 0
    if x <= y:
        A[4] = 0
# CHECK: A[0] = x // 4 % 4
# CHECK: A[1] = (x + y // 8) // 2
# CHECK: A[2] = x % 15 // 4
# CHECK: if x // 16 < 1:
# CHECK: if x <= y:
