# A condition that depends on the loop, or that loads, is evaluated in every iteration.
# RUN: %relayopt %s -o %t
# RUN: %relayopt --passes=tir.HoistIfThenElse %s | cmp - %t
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "int32"), n: T.int32):
    for i in range(8):
        if i < n:
            A[i] = 0
    for i in range(8):
        if A[0] < n:
            A[i] = A[i] + 1
