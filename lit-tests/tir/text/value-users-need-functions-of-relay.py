# Users of values are told in Relay's text; a module of tensor programs alone has none.
# RUN: not %relayopt --print-value-users %s 2>&1 | FileCheck %s
# CHECK: error: --print-value-users is for functions of Relay, and the module has none
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((4,), "float32")):
        for i in range(4):
            A[i] = A[i] + T.float32(1)
