# What all blocks of threads can see is allocated right in the outermost loop over them, no deeper.
# RUN: %relayopt --passes=tir.PlanAndUpdateBufferAllocationLocation %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "float32")):
    with T.block("root"):
        T.reads()
        T.writes()
        B = T.alloc_buffer((16,))
        L = T.alloc_buffer((16,), scope="local")
        for bx in T.thread_binding(4, thread="blockIdx.x"):
            for i in range(4):
                with T.block("b"):
                    vi = T.axis.spatial(16, bx * 4 + i)
                    T.reads(A[vi])
                    T.writes(A[vi])
                    L[vi] = A[vi]
                    B[vi] = L[vi]
                    A[vi] = B[vi]
# CHECK:      for bx in T.thread_binding(4, thread="blockIdx.x"):
# CHECK-NEXT:   with T.block(""):
# CHECK:          B = T.alloc_buffer((16,))
# CHECK:          with T.block("b"):
# CHECK:            L = T.alloc_buffer((16,), scope="local")
