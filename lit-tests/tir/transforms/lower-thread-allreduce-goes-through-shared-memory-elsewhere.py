# A barrier between all steps, of all threads or of a warp; ten threads are not a power of two.
# RUN: %relayopt --passes=tir.LowerThreadAllreduce %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((1, 10), "float32"), C: T.Buffer((1,), "float32")):
    T.func_attr({"target": T.target("opencl -thread_warp_size=16")})
    A_1 = T.Buffer((10,), data=A.data)
    ty = T.launch_thread("threadIdx.y", 1)
    B = T.decl_buffer((1,), scope="local")
    tx = T.launch_thread("threadIdx.x", 10)
    with T.attr(T.comm_reducer(lambda x, y: x + y, [T.float32(0)]), "reduce_scope", T.reinterpret("handle", T.uint64(0))):
        T.tvm_thread_allreduce(T.uint32(1), A_1[ty * 10 + tx], T.bool(True), B[0], tx)
    if tx == 0:
        C[ty] = B[0]
# CHECK:      T.attr(red_buf0, "volatile_scope", 1)
# CHECK:      T.tvm_storage_sync("shared")
# CHECK:      [[B:red_buf0[_0-9]*]][tx] = A_1[ty * 10 + tx]
# CHECK-NEXT: T.tvm_storage_sync("shared")
# CHECK-NEXT: if tx < 2:
# CHECK-NEXT:     [[B]][tx] = [[B]][tx] + [[B]][tx + 8]
# CHECK-NEXT: T.tvm_storage_sync("shared")
# CHECK-NEXT: if tx < 4:
# CHECK-NEXT:     with T.LetStmt([[B]][tx] + [[B]][tx + 4]) as w_4_0:
# CHECK-NEXT:         T.tvm_storage_sync("warp")
# CHECK-NEXT:         [[B]][tx] = w_4_0
# CHECK-NEXT:         T.tvm_storage_sync("warp")
# CHECK-NEXT:     with T.LetStmt([[B]][tx] + [[B]][tx + 2]) as w_2_0:
# CHECK:          w_1_0: T.float32 = [[B]][tx] + [[B]][tx + 1]
# CHECK:      T.tvm_storage_sync("shared")
# CHECK-NEXT: if tx == 0:
# CHECK-NEXT:     C[ty] = [[B]][0]
