# A let has the promoted type; memory whose pointer is passed on keeps its own.
# RUN: %relayopt --passes=tir.BF16ComputeLegalize %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((100,), "bfloat16"), B: T.Buffer((100,), "float32")):
    C = T.decl_buffer((100,), "bfloat16")
    T.call_extern("int32", "f", C.data)
    for i in range(100):
        C[i] = A[i]
        x: T.bfloat16 = A[i]
        B[i] = T.Cast("float32", x + x)
# CHECK: C = T.decl_buffer((100,), "bfloat16")
# CHECK: C[i] = A[i]
# CHECK: x: T.float32 = T.reinterpret("float32", T.shift_left(T.Cast("uint32", T.reinterpret("uint16", A[i])), T.uint32(16)))
# CHECK: B[i] = x + x
