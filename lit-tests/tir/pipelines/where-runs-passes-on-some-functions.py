# Only the function with the attribute loses its unit loop.
# RUN: %relayopt --passes='where<calling_conv=2>(tir.UnrollLoop<auto_max_extent=1>)' %s | FileCheck %s
# RUN: %relayopt --passes='where<calling_conv!=2>(tir.UnrollLoop<auto_max_extent=1>)' %s | FileCheck --check-prefix=OTHERS %s
# RUN: %relayopt --print-pipeline --passes='where<calling_conv!=2>(tir.Simplify),where<calling_conv=2>(tir.Simplify)' %s | FileCheck --check-prefix=TEXT %s
# RUN: not %relayopt --passes='where<calling_conv>(tir.Simplify)' %s 2>&1 | FileCheck --check-prefix=VALUE %s
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def host(A: T.Buffer((1,), "int32")):
        for i in range(1):
            A[i] = 1

    @T.prim_func
    def kernel(A: T.Buffer((1,), "int32")):
        T.func_attr({"calling_conv": 2})
        for i in range(1):
            A[i] = 2
# CHECK:      for i in range(1):
# CHECK-NEXT:     A[i] = 1
# CHECK:      A[0] = 2
# OTHERS:     A[0] = 1
# OTHERS:     for i in range(1):
# OTHERS-NEXT:     A[i] = 2
# TEXT:       where<calling_conv!=2>(tir.Simplify),where<calling_conv=2>(tir.Simplify)
# VALUE:      error: where expects an attribute and its value
