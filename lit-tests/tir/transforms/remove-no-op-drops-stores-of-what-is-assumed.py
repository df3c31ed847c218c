# A store of the value that an assumption gives to the element goes.
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
