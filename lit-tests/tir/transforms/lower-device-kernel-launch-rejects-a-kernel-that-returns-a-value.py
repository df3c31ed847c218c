# Nobody takes it.
# RUN: not %relayopt --passes=tir.LowerDeviceKernelLaunch %s 2>&1 | FileCheck %s
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def a(n: T.int32) -> T.int32:
        T.func_attr({"target": T.target({"keys": ["cuda", "gpu"], "kind": "cuda", "tag": ""})})
        T.ret(n)

    @T.prim_func
    def b(n: T.int32):
        T.func_attr({"target": T.target({"keys": ["cpu"], "kind": "llvm", "tag": ""})})
        T.evaluate(Module.a(n))
# CHECK: error: the kernel @a may return nothing but T.ret(0)
