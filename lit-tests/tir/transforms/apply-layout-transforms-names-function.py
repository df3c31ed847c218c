# The error points at the function that maps indices; a module without such a function stays as it is.
# RUN: not %relayopt --passes=tir.ApplyLayoutTransforms %s 2>&1 | FileCheck %s
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(n: T.int32):
        T.evaluate(n)

    @T.prim_func
    def g(n: T.int32):
        T.func_attr({"layout_transform_map": 1})
        T.evaluate(n)
# CHECK: :[[#@LINE-1]]:9: error: tir.ApplyLayoutTransforms is not supported: the function maps the indices of buffers
