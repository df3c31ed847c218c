# Where other loops reduce as well, or values are left out, each thread reduces its own values before the others'.
# RUN: %relayopt %s --passes=tir.LowerCrossThreadReduction --validate | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4, 40), "float32"), B: T.Buffer((4,), "float32")):
    for i in T.thread_binding(4, thread="blockIdx.x"):
        for ko in range(3):
            for ki in T.thread_binding(16, thread="threadIdx.x"):
                with T.block("max"):
                    vi = T.axis.spatial(4, i)
                    vk = T.axis.reduce(40, ko * 16 + ki)
                    T.where(ko * 16 + ki < 40)
                    T.reads(A[vi, vk])
                    T.writes(B[vi])
                    with T.init():
                        B[vi] = T.min_value("float32")
                    B[vi] = T.max(B[vi], A[vi, vk])

# CHECK: cross_thread_B = T.alloc_buffer((1,), strides=(1,), scope="local")
# CHECK-NEXT: in_thread_B = T.alloc_buffer((1,), strides=(1,), scope="local")
# CHECK-NEXT: for i in T.thread_binding(4, thread="blockIdx.x"):
# CHECK-NEXT: for ki in T.thread_binding(16, thread="threadIdx.x"):
# CHECK-NEXT: with T.block("max_in_thread_init"):
# CHECK-NEXT: T.reads()
# CHECK-NEXT: T.writes(in_thread_B[0])
# CHECK-NEXT: in_thread_B[0] = T.float32(-3.4028234663852886e+38)
# CHECK-NEXT: for ko in range(3):
# CHECK-NEXT: with T.block("max_in_thread"):
# CHECK: T.where(ko * 16 + ki < 40)
# CHECK-NEXT: T.reads(A[vi, vk])
# CHECK-NEXT: T.writes(in_thread_B[0])
# CHECK-NEXT: in_thread_B[0] = T.max(in_thread_B[0], A[vi, vk])
# CHECK-NEXT: with T.block("max_cross_thread"):
# CHECK-NEXT: T.reads(in_thread_B[0])
# CHECK: T.tvm_thread_allreduce(T.uint32(1), in_thread_B[0], T.bool(True), cross_thread_B[0], ki)
# CHECK: with T.block("max_write_back"):
# CHECK-NEXT: vi = T.axis.spatial(4, i)
# CHECK-NEXT: T.where(ki == 0)
