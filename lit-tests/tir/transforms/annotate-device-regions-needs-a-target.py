# Regions of a function without a target belong to no device.
# RUN: %relayopt --passes=tir.AnnotateDeviceRegions --verify-diagnostics --disable-output %s
# expected-error@unknown {{AnnotateDeviceRegions: the function has no attribute target}}
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "float32")):
    A[0] = T.float32(1)
