# Both run on the CPU, but are compiled apart.
# RUN: %relayopt --passes=tir.LowerDeviceKernelLaunch %s | FileCheck %s
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def a(n: T.int32) -> T.int32:
        T.func_attr({"target": T.target({"keys": ["cpu"], "kind": "c", "tag": ""})})
        T.ret(n)

    @T.prim_func
    def b(n: T.int32):
        T.func_attr({"target": T.target({"keys": ["cpu"], "kind": "llvm", "tag": ""})})
        T.evaluate(Module.a(n))
# CHECK: T.call_extern("int32", "a", n)
