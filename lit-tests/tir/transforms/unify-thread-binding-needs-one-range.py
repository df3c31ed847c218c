# Two kernels may have different ranges, one kernel may not.
# RUN: not %relayopt --passes=tir.UnifyThreadBinding %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "int32")):
    for t in T.thread_binding(16, thread="threadIdx.x"):
        A[t] = 1
    for t in T.thread_binding(8, thread="threadIdx.x"):
        for u in T.thread_binding(4, thread="threadIdx.x"):
            A[u] = 2
# CHECK-NOT: :7:5: error
# CHECK: :10:9: error: loops bound to threadIdx.x have different ranges in the same kernel
