# Both together contradict each other.
# RUN: not %relayopt %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func(private=True)
def main(A: T.Buffer((16,), "int32")):
    T.func_attr({"global_symbol": "main"})
    A[0] = 1
# CHECK: error: Specifying the global symbol even though the PrimFunc is annotated as private
