# A variable that two sibling loops use is declared before the first, one that a single loop uses inside of it.
# RUN: %relayopt %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "int32")):
    n = T.int32()
    m = T.int32()
    for i in range(4):
        A[i] = n
    for i in range(4):
        A[i] = n + m
# CHECK:      def main
# CHECK-NEXT:   n = T.int32()
# CHECK-NEXT:   for i in range(4):
# CHECK-NEXT:     A[i] = n
# CHECK-NEXT:   for i in range(4):
# CHECK-NEXT:     m = T.int32()
# CHECK-NEXT:     A[i] = n + m
