# The result of a reduction over threads is not there yet inside of its loops.
# RUN: not %relayopt %s --passes=tir.LowerCrossThreadReduction 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def last(A: T.Buffer((4, 32), "float32"), B: T.Buffer((4,), "float32"), C: T.Buffer((4,), "float32")):
    for i in range(4):
        for k in T.thread_binding(32, thread="threadIdx.x"):
            with T.block("first"):
                vi, vk = T.axis.remap("SR", [i, k])
                T.reads(A[vi, vk])
                T.writes(B[vi])
                with T.init():
                    B[vi] = T.float32(0)
                B[vi] = B[vi] + A[vi, vk]
            with T.block("second"):
                vi = T.axis.spatial(4, i)
                T.reads(B[vi])
                T.writes(C[vi])
                C[vi] = B[vi]

# CHECK: :9:13: error: the reduction of block first over threads cannot be lowered: another statement comes after it in the loops of the reduction [cross-thread-reduction]
