# A private function beside it does not count.
# RUN: %relayopt --passes=tir.AnnotateEntryFunc %s | FileCheck %s
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def a(n: T.int32):
        T.evaluate(n)

    @T.prim_func
    def b(n: T.int32):
        T.evaluate(n)
# CHECK: def a(n: T.int32):
# CHECK-NEXT: T.evaluate(n)
# CHECK: def b(n: T.int32):
# CHECK-NEXT: T.func_attr({"tir.is_entry_func": T.bool(True)})
