# The result is written back only to rows for which the block runs, also when that is its only condition.
# RUN: %relayopt %s --passes=tir.LowerCrossThreadReduction --validate | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((6, 32), "float32"), B: T.Buffer((6,), "float32")):
    for i0 in T.thread_binding(2, thread="blockIdx.x"):
        for i1 in range(4):
            for k in T.thread_binding(32, thread="threadIdx.x"):
                with T.block("sum"):
                    vi = T.axis.spatial(6, i0 * 4 + i1)
                    vk = T.axis.reduce(32, k)
                    T.where(i0 * 4 + i1 < 6)
                    T.reads(A[vi, vk])
                    T.writes(B[vi])
                    with T.init():
                        B[vi] = T.float32(0)
                    B[vi] = B[vi] + A[vi, vk]

# CHECK: with T.block("sum_write_back"):
# CHECK-NEXT: vi = T.axis.spatial(6, i0 * 4 + i1)
# CHECK-NEXT: T.where(i0 * 4 + i1 < 6 and k == 0)
