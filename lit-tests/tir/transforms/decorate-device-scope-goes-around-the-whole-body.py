# The implicit block of a function becomes explicit, since it is no longer the body.
# RUN: %relayopt --passes=tir.DecorateDeviceScope %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4,), "float32")):
    B = T.alloc_buffer((4,))
    B[0] = A[0]
# CHECK:      T.attr(0, "device_scope", 0)
# CHECK-NEXT: with T.block("root"):
# CHECK:        B = T.alloc_buffer((4,))
