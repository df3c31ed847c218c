# The loops of a marked copy become the axes of two tensors, with the coefficients of the loop variables as strides.
# RUN: %relayopt --passes='tir.InjectCopyIntrin<pragma_key=copy;fintrin=my_copy>' %s | FileCheck %s
from tvm.script import tir as T


@T.prim_func
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float16"), n: T.int32):
    # CHECK: if n > 0:
    # CHECK-NEXT: T.call_packed("my_copy", T.tvm_stack_make_array(A.data, T.tvm_stack_make_shape(4, n), T.tvm_stack_make_shape(1, 8), 2, T.float32(0), 5),
    # CHECK-SAME: T.tvm_stack_make_array(B.data, T.tvm_stack_make_shape(4, n), T.tvm_stack_make_shape(n, 1), 2, T.float16(0), 0))
    if n > 0:
        with T.attr(0, "pragma_copy", 1):
            for i in range(4):
                for j in range(n):
                    B[i * n + j] = T.Cast("float16", A[j * 8 + i + 5])
    # CHECK: T.call_packed("my_copy", T.tvm_stack_make_array(A.data, T.tvm_stack_make_shape(1), T.tvm_stack_make_shape(1), 1, T.float32(0), n),
    with T.attr(0, "pragma_copy", 1):
        B[3] = T.Cast("float16", A[n])
