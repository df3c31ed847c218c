# C holds float32; what the caller passes stays bfloat16.
# RUN: %relayopt --passes=tir.BF16ComputeLegalize %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((100,), "bfloat16"), B: T.Buffer((100,), "bfloat16"), D: T.Buffer((100,), "bfloat16")):
    C = T.decl_buffer((100,), "bfloat16")
    for i in range(100):
        C[i] = A[i] + B[i]
        D[i] = T.exp(C[i])
# CHECK: C = T.decl_buffer((100,))
# CHECK: C[i] = T.reinterpret("float32", T.shift_left(T.Cast("uint32", T.reinterpret("uint16", A[i])), T.uint32(16))) + T.reinterpret("float32", T.shift_left(T.Cast("uint32", T.reinterpret("uint16", B[i])), T.uint32(16)))
# CHECK: D[i] = T.reinterpret("bfloat16", T.Select(T.bitwise_and(T.reinterpret("uint32", T.exp(C[i])), T.uint32(2147483647)) < T.uint32(2139095041), T.Cast("uint16", T.shift_right(T.reinterpret("uint32", T.exp(C[i])) + (T.bitwise_and(T.shift_right(T.reinterpret("uint32", T.exp(C[i])), T.uint32(16)), T.uint32(1)) + T.uint32(32767)), T.uint32(16))), T.bitwise_or(T.Cast("uint16", T.shift_right(T.reinterpret("uint32", T.exp(C[i])), T.uint32(16))), T.uint16(64))))
