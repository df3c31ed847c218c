# A choice of two values is reduced by one exchange of both; threads of two loops take part.
# RUN: %relayopt %s --passes=tir.LowerCrossThreadReduction --validate | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4, 32), "float32"), I: T.Buffer((4,), "int32"), V: T.Buffer((4,), "float32")):
    for i in range(4):
        for ko in T.thread_binding(4, thread="threadIdx.y"):
            for ki in T.thread_binding(8, thread="threadIdx.x"):
                with T.block("m"):
                    vi = T.axis.spatial(4, i)
                    vk = T.axis.reduce(32, ko * 8 + ki)
                    T.reads(A[vi, vk])
                    T.writes(I[vi], V[vi])
                    with T.init():
                        I[vi] = -1
                        V[vi] = T.min_value("float32")
                    v0: T.int32 = T.Select(V[vi] >= A[vi, vk], I[vi], vk)
                    v1: T.float32 = T.Select(V[vi] >= A[vi, vk], V[vi], A[vi, vk])
                    I[vi] = v0
                    V[vi] = v1

# CHECK: T.writes(cross_thread_I[0], cross_thread_V[0])
# CHECK-NEXT: T.attr(T.comm_reducer(lambda x0, x1, y0, y1: (T.Select(x1 >= y1, x0, y0), T.Select(x1 >= y1, x1, y1)), [-1, T.float32(-3.4028234663852886e+38)]), "reduce_scope",
# CHECK-NEXT: T.tvm_thread_allreduce(T.uint32(2), vk, A[vi, vk], T.bool(True), cross_thread_I[0], cross_thread_V[0], ko, ki)
# CHECK: T.where(ko == 0 and ki == 0)
# CHECK: I_1[vi] = cross_thread_I[0]
# CHECK-NEXT: V[vi] = cross_thread_V[0]
