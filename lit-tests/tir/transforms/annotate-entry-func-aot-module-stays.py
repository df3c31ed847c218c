# A module that is compiled ahead of time gets its entry function elsewhere.
# RUN: %relayopt --passes=tir.AnnotateEntryFunc %s | FileCheck %s
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    I.module_attrs({"executor": "aot"})

    @T.prim_func
    def a(n: T.int32):
        T.evaluate(n)
# CHECK-NOT: tir.is_entry_func
# CHECK:     def a(n: T.int32):
# CHECK-NOT: tir.is_entry_func
