# RUN: %relayopt '--passes=tir.Filter<calling_conv=2>' %s | FileCheck %s
# RUN: %relayopt '--passes=tir.Filter<calling_conv!=2>' %s | FileCheck --check-prefix=OTHERS %s
# RUN: not %relayopt --passes=tir.Filter %s 2>&1 | FileCheck --check-prefix=NONE %s
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def host(n: T.int32):
        T.evaluate(n)

    @T.prim_func
    def kernel(n: T.int32):
        T.func_attr({"calling_conv": 2})
        T.evaluate(n)
# CHECK-NOT:  def host
# CHECK:      def kernel
# OTHERS:     def host
# OTHERS-NOT: def kernel
# NONE:       error: Filter: which functions?{{.*}} [filter-none]
