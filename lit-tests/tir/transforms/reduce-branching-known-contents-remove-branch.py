# With use_dataflow_analysis a store of what the element is known to hold may run always.
# RUN: %relayopt --passes='tir.ReduceBranchingThroughOvercompute<use_dataflow_analysis=true>' --validate %s | FileCheck %s
# RUN: %relayopt --passes=tir.ReduceBranchingThroughOvercompute %s | FileCheck %s --check-prefix=WITHOUT
from tvm.script import tir as T


@T.prim_func
def main(A: T.Buffer((16,), "int32"), B: T.Buffer((1,), "int32"), n: T.int32):
    # CHECK: for i in range(16):
    # CHECK-NEXT: A[i] = 0
    for i in range(16):
        A[i] = 0
    # CHECK-NEXT: for i in range(16):
    # CHECK-NEXT: A[i] = 0
    # CHECK-NEXT: B[0] = B[0] + A[i]
    # WITHOUT: if i < n:
    # WITHOUT: if i < n:
    for i in range(16):
        if i < n:
            A[i] = 0
        if i < n:
            B[0] = B[0] + A[i]
