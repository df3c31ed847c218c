# Four warps each, then their results in the first one.
# RUN: %relayopt --passes=tir.LowerThreadAllreduce --validate %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((2, 128), "float32"), C: T.Buffer((2,), "float32")):
    T.func_attr({"target": T.target("cuda")})
    A_1 = T.Buffer((256,), data=A.data)
    ty = T.launch_thread("threadIdx.y", 2)
    B = T.decl_buffer((1,), scope="local")
    tx = T.launch_thread("threadIdx.x", 128)
    with T.attr(T.comm_reducer(lambda x, y: x + y, [T.float32(0)]), "reduce_scope", T.reinterpret("handle", T.uint64(0))):
        T.tvm_thread_allreduce(T.uint32(1), A_1[ty * 128 + tx], T.bool(True), B[0], tx)
    if tx == 0:
        C[ty] = B[0]
# CHECK:      red_result = T.allocate([2], "float32", "shared")
# CHECK-NEXT: T.attr(red_result, "volatile_scope", 1)
# CHECK:      if tx % 32 == 0:
# CHECK-NEXT:     red_buf_staging[ty * 4 + tx // 32] = red_buf0_1[0]
# CHECK-NEXT: T.tvm_storage_sync("shared")
# CHECK-NEXT: if tx < 4:
# CHECK-NEXT:     red_buf0[0] = red_buf_staging[ty * 4 + tx]
# CHECK-NEXT: mask[0] = T.bitwise_and(T.tvm_warp_activemask(), T.Cast("uint32", T.shift_left(15, ty * 4)))
# CHECK:      if tx == 0:
# CHECK-NEXT:     red_result_1[ty] = red_buf0[0]
# CHECK-NEXT: T.tvm_storage_sync("shared")
# CHECK:      C[ty] = red_result_1[ty]
