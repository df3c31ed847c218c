# RUN: not %relayopt --passes=tir.LiftThreadBinding %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4, 16), "int32")):
    for bx in T.thread_binding(4, thread="blockIdx.x"):
        for t in T.thread_binding(16, thread="threadIdx.x"):
            A[bx, t] = 1
        for u in T.thread_binding(8, thread="threadIdx.x"):
            A[bx, u] = 2
# CHECK: :9:9: error: the loops over threadIdx.x of one kernel have different ranges
