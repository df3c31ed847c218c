# Signature, attributes of the function and every function of the module: only the body changes.
# RUN: %relayopt --passes=tir.DecorateDeviceScope %s | FileCheck %s
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((4,), "float32")):
        T.func_attr({"key": 1})
        A[0] = T.float32(1)

    @T.prim_func(private=True)
    def g(n: T.int32):
        T.evaluate(n)
# CHECK:      def f(A: T.Buffer((4,), "float32")):
# CHECK-NEXT:     T.func_attr({"key": 1})
# CHECK-NEXT:     T.attr(0, "device_scope", 0)
# CHECK-NEXT:     A[0] = T.float32(1)
# CHECK:      def g(n: T.int32):
# CHECK-NEXT:     T.attr(0, "device_scope", 0)
# CHECK-NEXT:     T.evaluate(n)
