# The number of operands of an intrinsic is that of its signature, whatever number of inputs TVM registers.
# RUN: %relayopt --verify-roundtrip %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int32"), P: T.handle("float32")):
    for i in range(4):
        B[i] = T.q_multiply_shift(A[i], 1073741824, 31, 1)
        B[i] = T.call_intrin("int32", "tir.q_multiply_shift", A[i], B[i], 30, -2)
    T.evaluate(T.lookup_param("p0"))
# CHECK:      B[i] = T.q_multiply_shift(A[i], 1073741824, 31, 1)
# CHECK-NEXT: B[i] = T.q_multiply_shift(A[i], B[i], 30, -2)
# CHECK:      T.lookup_param("p0")
