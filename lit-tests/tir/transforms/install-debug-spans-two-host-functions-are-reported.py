# A listing has one function: with two there is none to choose.
# RUN: not %relayopt --passes=tir.InstallDebugSpans %s 2>&1 | FileCheck %s
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(n: T.int32):
        T.func_attr({"target": T.target("llvm")})
        T.evaluate(n)

    @T.prim_func
    def g(n: T.int32):
        T.func_attr({"target": T.target("llvm")})
        T.evaluate(n)
# CHECK: error: InstallDebugSpans: there has to be one function for the host with a global symbol, and there are 2
