# RUN: not %relayopt --passes=tir.LowerDeviceKernelLaunch %s 2>&1 | FileCheck %s
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def a(n: T.int32):
        T.func_attr({"target": T.target({"keys": ["cuda", "gpu"], "kind": "cuda", "tag": ""})})
        T.ret(0)

    @T.prim_func
    def b(n: T.int32):
        T.func_attr({"target": T.target({"keys": ["cpu"], "kind": "llvm", "tag": ""})})
        Module.a(n, n)
# CHECK: error: @a is called with 2 arguments for 1 [kernel-arguments]
