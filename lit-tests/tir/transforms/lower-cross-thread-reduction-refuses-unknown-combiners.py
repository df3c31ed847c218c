# A reduction whose combiner is not known cannot be made by threads together.
# RUN: not %relayopt %s --passes=tir.LowerCrossThreadReduction 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4, 32), "float32"), B: T.Buffer((4,), "float32")):
    for i in range(4):
        for k in T.thread_binding(32, thread="threadIdx.x"):
            with T.block("sum"):
                vi, vk = T.axis.remap("SR", [i, k])
                T.reads(A[vi, vk])
                T.writes(B[vi])
                with T.init():
                    B[vi] = T.float32(1)
                B[vi] = B[vi] + A[vi, vk]

# CHECK: :9:13: error: the reduction of block sum over threads cannot be lowered: no combiner is known that has this initial value and this update;{{.*}} [block-reduction-form]
