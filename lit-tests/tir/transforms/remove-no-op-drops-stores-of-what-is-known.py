# A store of the value that the element holds already goes: known from a loop or a branch.
# RUN: %relayopt --passes='tir.RemoveNoOp<use_dataflow_analysis=true>' %s | FileCheck %s
# RUN: %relayopt --passes='tir.RemoveNoOp<use_dataflow_analysis=true>' --validate --validate-edge --disable-output %s 2>&1 | FileCheck --check-prefix=VALID %s
# VALID: 0 mismatches, 0 unchanged, 0 not validated
from tvm.script import tir as T

@T.prim_func
def branch(A: T.Buffer((16,), "int32")):
    for i in range(16):
        if A[i] == 5:
            A[i] = 5
# CHECK-LABEL: def branch
# CHECK-NOT: A[i] = 5

@T.prim_func
def loops(A: T.Buffer((16,), "int32"), B: T.Buffer((16,), "int32")):
    for i in range(16):
        A[i] = i * 2
    B[3] = A[3] + 1
    for j in range(16):
        A[j] = j * 2
    for k in range(16):
        B[k] = A[k]
# CHECK-LABEL: def loops
# CHECK: for i in range(16):
# CHECK-NEXT: A[i] = i * 2
# CHECK-NOT: A[j]
# CHECK: for k in range(16):
