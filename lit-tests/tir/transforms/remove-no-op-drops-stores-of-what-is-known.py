# A store of the value that the element holds already goes: known from a loop, a branch or an assumption.
# RUN: %relayopt --passes='tir.RemoveNoOp<use_dataflow_analysis=true>' %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def assumption(A: T.Buffer((16,), "int32")):
    for i in range(16):
        T.evaluate(T.assume(A[i] == 7))
    for j in range(16):
        A[j] = 7
# CHECK-LABEL: def assumption
# CHECK: T.assume(
# CHECK-NOT: A[j]

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
