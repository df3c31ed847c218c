# Four elements, from 5 to 2, are copied to the first four.
# RUN: %relayopt %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "float32"), B: T.Buffer((4,), "float32")):
    B[0:4] = A[T.Ramp(5, -1, 4)]
    B[0:4] = A[5:1:-1]
    B[0:3] = A[6:1:-2]
# CHECK: B[0:4] = A[5:1:-1]
# CHECK-NEXT: B[0:4] = A[5:1:-1]
# CHECK-NEXT: B[0:3] = A[6:0:-2]
