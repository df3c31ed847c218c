# The same intrinsic on three targets.
# RUN: %relayopt --passes=tir.LowerIntrin %s | FileCheck %s
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def a(x: T.float32, h: T.float16):
        T.func_attr({"target": T.target({"keys": ["cuda"], "kind": "cuda", "tag": ""})})
        T.evaluate(T.exp(x))
        T.evaluate(T.exp(h))
        T.evaluate(T.tan(x))

    @T.prim_func
    def b(x: T.float32):
        T.func_attr({"target": T.target({"keys": ["cpu"], "kind": "llvm", "tag": ""})})
        T.evaluate(T.exp(x))
        T.evaluate(T.tan(x))

    @T.prim_func
    def c(x: T.float32, d: T.float64):
        T.func_attr({"target": T.target({"keys": ["cpu"], "kind": "c", "tag": ""})})
        T.evaluate(T.exp(x))
        T.evaluate(T.exp(d))
# CHECK: T.call_pure_extern("float32", "__expf", x)
# CHECK: T.call_pure_extern("float16", "hexp", h)
# CHECK: T.call_pure_extern("float32", "tanf", x)
# CHECK: T.call_llvm_pure_intrin("float32", "llvm.exp", T.uint32(1), x)
# CHECK: T.call_llvm_pure_intrin("float32", "llvm.sin", T.uint32(1), x) / T.call_llvm_pure_intrin("float32", "llvm.cos", T.uint32(1), x)
# CHECK: T.call_pure_extern("float32", "expf", x)
# CHECK: T.call_pure_extern("float64", "exp", d)
