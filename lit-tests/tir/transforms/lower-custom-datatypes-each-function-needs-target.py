# Every function of a module needs a target, and the error names the one without.
# RUN: not %relayopt --passes=tir.LowerCustomDatatypes %s 2>&1 | FileCheck %s
# RUN: %relayopt --passes='tir.BindTarget<target=llvm>,tir.LowerCustomDatatypes' %s | FileCheck --check-prefix=BOUND %s
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
        T.evaluate(n)
# CHECK: error: LowerCustomDatatypes: the function @g has no attribute target
# BOUND: def g
