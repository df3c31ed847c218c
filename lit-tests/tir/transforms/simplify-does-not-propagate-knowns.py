# An option that is not built is an error, not silence.
# RUN: not %relayopt "--passes=tir.Simplify<propagate_knowns_to_prove_conditional=true>" %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "float32")):
    A[0] = T.float32(1)
# CHECK: error: tir.Simplify: the option propagate_knowns_to_prove_conditional is not supported
