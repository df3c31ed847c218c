# The loop writes what the let reads.
# RUN: %relayopt %s -o %t
# RUN: %relayopt --passes=tir.HoistExpression %s | cmp - %t
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "float32")):
    for i in range(8):
        x: T.float32 = A[0]
        A[0] = x + x
