# What the text abbreviates prints in full.
# RUN: %relayopt %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "int32"), n: T.int32):
    if n < 1: A[0] = 1
    elif n < 2:
        A[0] += 2
    else:
        A[0] = 3
    A[1] = 4
# CHECK:      if n < 1:
# CHECK-NEXT:   A[0] = 1
# CHECK-NEXT: else:
# CHECK-NEXT:   if n < 2:
# CHECK-NEXT:     A[0] = A[0] + 2
# CHECK-NEXT:   else:
# CHECK-NEXT:     A[0] = 3
# CHECK-NEXT: A[1] = 4
