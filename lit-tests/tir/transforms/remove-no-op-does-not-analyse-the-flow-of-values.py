# The option of TVM is known, and refused.
# RUN: %relayopt '--passes=tir.RemoveNoOp<use_dataflow_analysis=true>' --verify-diagnostics --disable-output %s
# expected-error@unknown {{tir.RemoveNoOp: the option use_dataflow_analysis is not supported}}
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "float32")):
    A[0] = T.float32(1)
