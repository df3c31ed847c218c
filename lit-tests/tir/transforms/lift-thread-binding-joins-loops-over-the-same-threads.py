# RUN: %relayopt --passes=tir.LiftThreadBinding %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4, 16), "int32"), B: T.Buffer((16,), "int32")):
    for bx in T.thread_binding(4, thread="blockIdx.x"):
        for i in range(8):
            for t in T.thread_binding(16, thread="threadIdx.x"):
                A[bx, t] = i
        for u in T.thread_binding(16, thread="threadIdx.x"):
            B[u] = 2
# CHECK:      for blockIdx_x in T.thread_binding(4, thread="blockIdx.x"):
# CHECK-NEXT:   for threadIdx_x in T.thread_binding(16, thread="threadIdx.x"):
# CHECK-NEXT:     for i in range(8):
# CHECK-NEXT:       A[blockIdx_x, threadIdx_x] = i
# CHECK-NEXT:     B[threadIdx_x] = 2
