# A block whose reduction is a loop over threads becomes a reduction among them, whose first one writes the result.
# RUN: %relayopt %s --passes=tir.LowerCrossThreadReduction --validate | FileCheck %s
# RUN: %relayopt %s --passes='default<tir>' --validate | FileCheck %s --check-prefix=LOWERED
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4, 32), "float32"), B: T.Buffer((4,), "float32")):
    for i in T.thread_binding(4, thread="blockIdx.x"):
        for k in T.thread_binding(32, thread="threadIdx.x"):
            with T.block("sum"):
                vi, vk = T.axis.remap("SR", [i, k])
                T.reads(A[vi, vk])
                T.writes(B[vi])
                with T.init():
                    B[vi] = T.float32(0)
                B[vi] = B[vi] + A[vi, vk]

# CHECK: cross_thread_B = T.alloc_buffer((1,), strides=(1,), scope="local")
# CHECK: for k in T.thread_binding(32, thread="threadIdx.x"):
# CHECK-NEXT: with T.block("sum_cross_thread"):
# CHECK-NEXT: vi, vk = T.axis.remap("SR", [i, k])
# CHECK-NEXT: T.reads(A[vi, vk])
# CHECK-NEXT: T.writes(cross_thread_B[0])
# CHECK-NEXT: T.attr(T.comm_reducer(lambda x0, y0: x0 + y0, [T.float32(0)]), "reduce_scope", T.reinterpret("handle", T.uint64(0)))
# CHECK-NEXT: T.tvm_thread_allreduce(T.uint32(1), A[vi, vk], T.bool(True), cross_thread_B[0], k)
# CHECK-NEXT: with T.block("sum_write_back"):
# CHECK-NEXT: vi = T.axis.spatial(4, i)
# CHECK-NEXT: T.where(k == 0)
# CHECK-NEXT: T.reads(cross_thread_B[0])
# CHECK-NEXT: T.writes(B[vi])
# CHECK-NEXT: B[vi] = cross_thread_B[0]

# LOWERED: threadIdx_x = T.launch_thread("threadIdx.x", 32)
# LOWERED: T.tvm_thread_allreduce(T.uint32(1), A_1[blockIdx_x * 32 + threadIdx_x], T.bool(True), cross_thread_B_1[0], threadIdx_x)
# LOWERED: if threadIdx_x == 0:
