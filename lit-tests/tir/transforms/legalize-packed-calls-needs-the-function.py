# RUN: not %relayopt --passes=tir.LegalizePackedCalls %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.handle("float32"), ctx: T.handle):
    T.call_cpacked("g", A, ctx)
# CHECK: :6:5: error: LegalizePackedCalls: the module has no function g
