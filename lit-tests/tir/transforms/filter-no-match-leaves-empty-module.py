# If no function has the convention, none stays; and conventions count as 0 where none is given.
# RUN: %relayopt '--passes=tir.Filter<calling_conv=1>' %s | FileCheck --check-prefix=EMPTY %s
# RUN: %relayopt %s -o %t
# RUN: %relayopt '--passes=tir.Filter<calling_conv=0>' %s | cmp - %t
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(n: T.int32):
        T.evaluate(n)

    @T.prim_func
    def g(n: T.int32):
        T.evaluate(n)
# EMPTY-NOT: def
# EMPTY:     class Module:
# EMPTY-NOT: def
