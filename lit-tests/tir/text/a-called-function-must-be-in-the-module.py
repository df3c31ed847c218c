# A call of a function that the module does not have.
# RUN: not %relayopt %s 2>&1 | FileCheck %s
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((16,), "int32")):
        Module.kernel(A.data)
# CHECK: error: Cannot find the function `kernel` in the current IRModule
