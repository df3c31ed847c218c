# A conjunction narrows the loops in its branch, its negation those in the other one.
# RUN: %relayopt --passes=tir.CompactBufferAllocation %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((224, 224), "float32")):
    with T.block(""):
        T.reads(A[0:224, 0:224])
        T.writes(A[0:224, 0:224])
        B = T.alloc_buffer((224, 224))
        C = T.alloc_buffer((224, 224))
        for i, j in T.grid(224, 224):
            if i < 112 or j < 96:
                B[0, 0] = A[i, j]
            else:
                C[i, j] = A[i, j]
            if i < 112 and j < 96:
                B[i, j] = A[i, j]
# CHECK: B = T.alloc_buffer((112, 96))
# CHECK: C = T.alloc_buffer((112, 128))
# CHECK: C[i - 112, j - 96] = A[i, j]
