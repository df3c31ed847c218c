# Four groups of sixteen threads are two warps: the mask counts the groups of one warp, and every thread gets the result.
# RUN: %relayopt --passes=tir.LowerThreadAllreduce --validate %s | FileCheck %s
# RUN: %relayopt --run --passes=tir.LowerThreadAllreduce %s | FileCheck %s --check-prefix=RESULT
from tvm.script import tir as T

@T.prim_func
def main(C: T.Buffer((64,), "int32")):
    T.func_attr({"target": T.target("cuda")})
    ty = T.launch_thread("threadIdx.y", 4)
    B = T.decl_buffer((1,), "int32", scope="local")
    tx = T.launch_thread("threadIdx.x", 16)
    with T.attr(T.comm_reducer(lambda x, y: x + y, [0]), "reduce_scope", T.reinterpret("handle", T.uint64(0))):
        T.tvm_thread_allreduce(T.uint32(1), ty + 1, T.bool(True), B[0], tx)
    C[ty * 16 + tx] = B[0]
# CHECK: T.shift_left(T.uint32(65535), T.uint32(16) * T.Cast("uint32", ty % 2))
# CHECK: T.tvm_warp_shuffle(mask[0], {{.*}}, 16 * ty, 32, 32)
# RESULT: C: [{{(16, ){16}(32, ){16}(48, ){16}(64, ){15}64}}]
