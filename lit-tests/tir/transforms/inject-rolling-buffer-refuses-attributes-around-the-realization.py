# The attribute is inside of the realization of its buffer.
# RUN: not %relayopt %s --passes=tir.InjectRollingBuffer 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((12, 8), "float32"), C: T.Buffer((4, 8), "float32")):
    T.func_attr({"from_legacy_te_schedule": T.bool(True)})
    B = T.Buffer((12, 8), "float32")
    for i in range(4):
        with T.attr(B, "rolling_buffer_scope", True):
            with T.realize(B[i:i + 3, 0:8], ""):
                B[i, 0] = A[i, 0]


# CHECK: :10:9: error: tir.InjectRollingBuffer: buffer B is not realized around its attribute rolling_buffer_scope [rolling-buffer]
