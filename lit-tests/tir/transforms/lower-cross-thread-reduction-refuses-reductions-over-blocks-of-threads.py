# Threads of several blocks cannot reduce together.
# RUN: not %relayopt %s --passes=tir.LowerCrossThreadReduction 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def block_threads(A: T.Buffer((4, 32), "float32"), B: T.Buffer((4,), "float32")):
    for i in range(4):
        for k in T.thread_binding(32, thread="blockIdx.x"):
            with T.block("blocks"):
                vi, vk = T.axis.remap("SR", [i, k])
                T.reads(A[vi, vk])
                T.writes(B[vi])
                with T.init():
                    B[vi] = T.float32(0)
                B[vi] = B[vi] + A[vi, vk]

# CHECK: :9:13: error: the reduction of block blocks over threads cannot be lowered: a loop of the reduction is bound to something else than threadIdx.x, threadIdx.y or threadIdx.z [cross-thread-reduction]
