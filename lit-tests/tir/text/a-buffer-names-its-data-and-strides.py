# As TVM: binding a buffer to a name names its data and its strides as well, so that names grow.
# RUN: %relayopt %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.handle("float32", "global"), n: T.int32):
    s: T.int32 = n
    A_1 = T.decl_buffer((1,), data=A, strides=(s,))
    A_1[0] = T.float32(42)
# CHECK:      def main(A_1: T.handle("float32", "global"), n: T.int32):
# CHECK-NEXT:   A_1_s0: T.int32 = n
# CHECK-NEXT:   A_1_1 = T.decl_buffer((1,), data=A_1, strides=(A_1_s0,))
