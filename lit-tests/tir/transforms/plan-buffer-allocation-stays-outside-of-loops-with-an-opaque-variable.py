# Values are carried over the iterations of an opaque variable: the buffer stays outside of its loop.
# RUN: %relayopt --passes=tir.PlanAndUpdateBufferAllocationLocation %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "float32"), C: T.Buffer((16,), "float32")):
    with T.block("root"):
        T.reads()
        T.writes()
        B = T.alloc_buffer((17,))
        for i in range(16):
            with T.block("b"):
                vi = T.axis.opaque(16, i)
                T.reads(A[vi], B[vi])
                T.writes(B[vi + 1], C[vi])
                B[vi + 1] = A[vi]
                C[vi] = B[vi]
# CHECK:      B = T.alloc_buffer((17,))
# CHECK-NEXT: for i in range(16):
# CHECK-NEXT:   with T.block("b"):
