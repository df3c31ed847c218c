# A loop over a thread inside of another loop over the same thread runs in the iterations of that thread.
# RUN: %relayopt --passes=tir.UnifyThreadBinding --validate %s | FileCheck %s
# RUN: %relayopt --passes=tir.LiftThreadBinding --validate %s | FileCheck %s
# RUN: %relayopt --passes='default<tir>' --validate %s | FileCheck %s --check-prefix=LOWERED
from tvm.script import tir as T


@T.prim_func
def main(A: T.Buffer((8, 8), "int32"), B: T.Buffer((8,), "int32")):
    # CHECK: for threadIdx_x in T.thread_binding(4, thread="threadIdx.x"):
    # CHECK-NEXT: B[blockIdx_x * 4 + threadIdx_x] = 1
    # CHECK-NEXT: A[blockIdx_x * 4 + threadIdx_x, threadIdx_x] =
    # LOWERED: threadIdx_x = T.launch_thread("threadIdx.x", 4)
    # LOWERED-NOT: T.launch_thread
    for bx in T.thread_binding(2, "blockIdx.x"):
        for i in T.thread_binding(4, "threadIdx.x"):
            B[bx * 4 + i] = 1
            for j in T.thread_binding(4, "threadIdx.x"):
                A[bx * 4 + i, j] = A[bx * 4 + i, j] + 1
