# Both may be entered.
# RUN: %relayopt %s -o %t
# RUN: %relayopt --passes=tir.AnnotateEntryFunc %s | cmp - %t
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def a(n: T.int32):
        T.evaluate(n)

    @T.prim_func
    def b(n: T.int32):
        T.evaluate(n)
