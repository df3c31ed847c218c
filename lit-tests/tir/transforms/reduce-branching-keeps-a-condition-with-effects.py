# A branch with a condition that does something stays, since that would be lost with the branch.
# RUN: %relayopt --passes=tir.ReduceBranchingThroughOvercompute %s | FileCheck %s
# RUN: %relayopt --passes='tir.ReduceBranchingThroughOvercompute<use_dataflow_analysis=true>' %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "float32")):
    if T.call_extern("int32", "f", A.data) == 0:
        T.evaluate(0)
# CHECK:    if T.call_extern("int32", "f", A.data) == 0:
