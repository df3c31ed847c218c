# The annotations of a loop that goes are kept by a loop of one iteration.
# RUN: %relayopt --passes=tir.UnifyThreadBinding %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4, 16), "int32"), B: T.Buffer((16,), "int32")):
    with T.launch_thread("blockIdx.x", 4) as bx:
        for t in T.thread_binding(16, thread="threadIdx.x"):
            A[bx, t] = 1
        for u in T.thread_binding(16, thread="threadIdx.x", annotations={"note": 1}):
            B[u] = 2
# CHECK:      for blockIdx_x in T.thread_binding(4, thread="blockIdx.x"):
# CHECK-NEXT:   for threadIdx_x in T.thread_binding(16, thread="threadIdx.x"):
# CHECK-NEXT:     A[blockIdx_x, threadIdx_x] = 1
# CHECK-NEXT:     for var in T.serial(1, annotations={"note": 1}):
# CHECK-NEXT:       B[threadIdx_x] = 2
