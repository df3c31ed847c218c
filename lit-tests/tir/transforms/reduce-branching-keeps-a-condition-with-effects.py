# RUN: %relayopt --passes=tir.ReduceBranchingThroughOvercompute %s | FileCheck %s
# RUN: not %relayopt --passes='tir.ReduceBranchingThroughOvercompute<use_dataflow_analysis=true>' %s 2>&1 | FileCheck --check-prefix=DATAFLOW %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "float32")):
    if T.call_extern("int32", "f", A.data) == 0:
        T.evaluate(0)
# CHECK:    if T.call_extern("int32", "f", A.data) == 0:
# DATAFLOW: error: tir.ReduceBranchingThroughOvercompute: the option use_dataflow_analysis is not supported
