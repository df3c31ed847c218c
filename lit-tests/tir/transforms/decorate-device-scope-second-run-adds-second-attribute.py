# As TVM: the pass does not look for an attribute that is there already.
# RUN: %relayopt --passes=tir.DecorateDeviceScope,tir.DecorateDeviceScope %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4,), "float32")):
    A[0] = T.float32(1)
# CHECK:      T.attr(0, "device_scope", 0)
# CHECK-NEXT: T.attr(0, "device_scope", 0)
# CHECK-NEXT: A[0] = T.float32(1)
