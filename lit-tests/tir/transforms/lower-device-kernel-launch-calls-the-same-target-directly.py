# A function for the same target is not a kernel.
# RUN: %relayopt %s -o %t
# RUN: %relayopt --passes=tir.LowerDeviceKernelLaunch %s | cmp - %t
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def a(n: T.int32):
        T.func_attr({"target": T.target({"keys": ["cpu"], "kind": "llvm", "tag": ""})})
        T.evaluate(n)

    @T.prim_func
    def b(n: T.int32):
        T.func_attr({"target": T.target({"keys": ["cpu"], "kind": "llvm", "tag": ""})})
        Module.a(n)
