# A loop between those of a reduction over threads and its block cannot be lowered.
# RUN: not %relayopt %s --passes=tir.LowerCrossThreadReduction 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def between(A: T.Buffer((4, 32), "float32"), B: T.Buffer((4,), "float32")):
    for k in T.thread_binding(32, thread="threadIdx.x"):
        for i in range(4):
            with T.block("apart"):
                vi, vk = T.axis.remap("SR", [i, k])
                T.reads(A[vi, vk])
                T.writes(B[vi])
                with T.init():
                    B[vi] = T.float32(0)
                B[vi] = B[vi] + A[vi, vk]

# CHECK: :9:13: error: the reduction of block apart over threads cannot be lowered: another statement lies between the loops of the reduction and the block [cross-thread-reduction]
