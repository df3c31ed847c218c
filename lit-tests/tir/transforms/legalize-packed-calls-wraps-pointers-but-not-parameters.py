# RUN: %relayopt --passes=tir.LegalizePackedCalls %s | FileCheck %s
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.handle("float32"), ctx: T.handle):
        p = T.allocate([32], "float32", "global")
        T.call_cpacked("f", p, A, ctx)
    @T.prim_func
    def f(B: T.Buffer((16, 2), "float32"), C: T.handle):
        B[0, 0] = T.float32(1)
# CHECK: T.call_cpacked("f", T.tvm_stack_make_array(p, T.tvm_stack_make_shape(16, 2), T.reinterpret("handle", T.uint64(0)), T.uint32(2), T.Cast("float32", 0), 0), A, ctx)
