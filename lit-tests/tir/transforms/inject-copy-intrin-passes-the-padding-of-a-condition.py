# Bounds of loop variables around the load become the padding before and after the source on each axis; the source begins inside.
# RUN: %relayopt --passes='tir.InjectCopyIntrin<pragma_key=copy;fintrin=my_copy>' %s | FileCheck %s
from tvm.script import tir as T


@T.prim_func
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32"), n: T.int32):
    # CHECK: T.call_packed("my_copy", T.tvm_stack_make_array(A.data, T.tvm_stack_make_shape(4, 8), T.tvm_stack_make_shape(8, 1), 2, T.float32(0), 0),
    # CHECK-SAME: T.tvm_stack_make_array(B.data, T.tvm_stack_make_shape(4, 10), T.tvm_stack_make_shape(10, 1), 2, T.float32(0), 0), 0, 1, 0, 1, T.float32(2.5))
    with T.attr(0, "pragma_copy", 1):
        for i, j in T.grid(4, 10):
            B[i * 10 + j] = T.if_then_else(1 <= j and j < 9, A[i * 8 + j - 1], T.float32(2.5))
    # CHECK: T.tvm_stack_make_shape(T.max(10 - T.max(10 - n, 0), 0)), T.tvm_stack_make_shape(1), 1, T.float32(0), 0)
    # CHECK-SAME: 0, T.min(T.max(10 - n, 0), 10), T.float32(0))
    with T.attr(0, "pragma_copy", 1):
        for i in range(10):
            B[i] = T.Select(i < n, A[i], T.float32(0))
