# A branch stays if an element may hold something else, if only the case itself makes it hold that, or if what the case
# accesses could be outside of the buffer.
# RUN: %relayopt --passes='tir.ReduceBranchingThroughOvercompute<use_dataflow_analysis=true>' --validate %s | FileCheck %s
from tvm.script import tir as T


@T.prim_func
def main(A: T.Buffer((16,), "int32"), C: T.Buffer((8,), "int32"), n: T.int32):
    for i in range(16):
        A[i] = i
    for i in range(16):
        # CHECK: if i < n:
        # CHECK-NEXT: A[i] = 0
        if i < n:
            A[i] = 0
        # CHECK-NEXT: if i < n:
        # CHECK-NEXT: A[0] = 5
        # CHECK-NEXT: A[0] = 5
        if i < n:
            A[0] = 5
            A[0] = 5
        # CHECK-NEXT: if i < 8:
        # CHECK-NEXT: C[i] = C[i]
        if i < 8:
            C[i] = C[i]
