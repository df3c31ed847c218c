# Two groups of eight threads share a warp.
# RUN: %relayopt --passes=tir.LowerThreadAllreduce --validate %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((2, 8), "float32"), C: T.Buffer((2,), "float32")):
    T.func_attr({"target": T.target("cuda")})
    A_1 = T.Buffer((16,), data=A.data)
    ty = T.launch_thread("threadIdx.y", 2)
    B = T.decl_buffer((1,), scope="local")
    tx = T.launch_thread("threadIdx.x", 8)
    with T.attr(T.comm_reducer(lambda x, y: x + y, [T.float32(0)]), "reduce_scope", T.reinterpret("handle", T.uint64(0))):
        T.tvm_thread_allreduce(T.uint32(1), A_1[ty * 8 + tx], T.bool(True), B[0], tx)
    if tx == 0:
        C[ty] = B[0]
# CHECK:      red_buf0 = T.decl_buffer((1,), scope="local")
# CHECK:      mask = T.decl_buffer((1,), "uint32", scope="local")
# CHECK-NEXT: t0 = T.decl_buffer((1,), scope="local")
# CHECK:      mask[0] = T.bitwise_and(T.tvm_warp_activemask(), T.shift_left(T.uint32(255), T.uint32(8) * T.Cast("uint32", ty)))
# CHECK-NEXT: t0[0] = T.tvm_warp_shuffle_down(mask[0], [[B:red_buf0[_0-9]*]][0], 4, 32, 32)
# CHECK-NEXT: [[B]][0] = [[B]][0] + t0[0]
# CHECK-NEXT: t0[0] = T.tvm_warp_shuffle_down(mask[0], [[B]][0], 2, 32, 32)
# CHECK-NEXT: [[B]][0] = [[B]][0] + t0[0]
# CHECK-NEXT: t0[0] = T.tvm_warp_shuffle_down(mask[0], [[B]][0], 1, 32, 32)
# CHECK-NEXT: [[B]][0] = [[B]][0] + t0[0]
# CHECK-NEXT: [[B]][0] = T.tvm_warp_shuffle(mask[0], [[B]][0], 8 * ty, 32, 32)
# CHECK:      C[ty] = [[B]][0]
