# RUN: %relayopt --passes=tir.PlanAndUpdateBufferAllocationLocation %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16, 16), "float32"), C: T.Buffer((16, 16), "float32")):
    with T.block("root"):
        T.reads()
        T.writes()
        B = T.alloc_buffer((16, 16))
        unused = T.alloc_buffer((4,))
        for i in range(16):
            for j in range(16):
                with T.block("b"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    T.reads(A[vi, vj])
                    T.writes(B[vi, vj])
                    B[vi, vj] = A[vi, vj]
            for j in range(16):
                with T.block("c"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    T.reads(B[vi, vj])
                    T.writes(C[vi, vj])
                    C[vi, vj] = B[vi, vj]
# CHECK-NOT:  unused
# CHECK:      for i in range(16):
# CHECK-NEXT:   with T.block(""):
# CHECK-NEXT:     T.reads(A[i, 0:16])
# CHECK-NEXT:     T.writes(C[i, 0:16])
# CHECK-NEXT:     B = T.alloc_buffer((16, 16))
# CHECK-NEXT:     for j in range(16):
