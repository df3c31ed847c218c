# A call of a function that the module does not have cannot be launched.
# RUN: not %relayopt --passes='tir.Filter<calling_conv=0>,tir.LowerDeviceKernelLaunch' %s 2>&1 | FileCheck %s
# RUN: %relayopt --passes=tir.LowerDeviceKernelLaunch %s | FileCheck --check-prefix=THERE %s
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(n: T.int32):
        T.func_attr({"target": T.target("llvm")})
        Module.other(n)

    @T.prim_func(private=True)
    def other(n: T.int32):
        T.func_attr({"target": T.target("llvm"), "calling_conv": 1})
        T.evaluate(n)
# CHECK: :[[#@LINE-6]]:9: error: LowerDeviceKernelLaunch: the module has no tensor program @other to be called
# THERE: Module.other(n)
