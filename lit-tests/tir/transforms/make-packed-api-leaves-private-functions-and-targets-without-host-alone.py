# Nobody calls them from outside; a target without a host has been lowered before. Calls of them stay as well.
# RUN: %relayopt --passes=tir.MakePackedAPI %s | FileCheck %s
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(n: T.int32) -> T.int32:
        T.func_attr({"target": T.target({"keys": ["cpu"], "kind": "llvm", "tag": ""})})
        T.ret(n)

    @T.prim_func(private=True)
    def g(n: T.int32):
        T.evaluate(Module.f(n))
# CHECK: def f(n: T.int32) -> T.int32:
# CHECK: def g(n: T.int32):
# CHECK: Module.f(n)
