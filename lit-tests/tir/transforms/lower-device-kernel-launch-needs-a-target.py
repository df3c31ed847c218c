# Which device a function is for says its target.
# RUN: %relayopt --passes=tir.LowerDeviceKernelLaunch --verify-diagnostics --disable-output %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "float32")):  # expected-error {{LowerDeviceKernelLaunch: the function @main has no attribute target}}
    A[0] = T.float32(1)
