# The bounds of a buffer that rolls begin at numbers or multiples of loop variables.
# RUN: not %relayopt %s --passes=tir.InjectRollingBuffer 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((12, 8), "float32"), C: T.Buffer((4, 8), "float32")):
    T.func_attr({"from_legacy_te_schedule": T.bool(True)})
    B = T.Buffer((12, 8), "float32")
    for i in range(4):
        with T.realize(B[i + 1:i + 4, 0:8], ""):
            with T.attr(B, "rolling_buffer_scope", True):
                B[i + 1, 0] = A[i, 0]


# CHECK: :11:13: error: tir.InjectRollingBuffer: buffer B is realized at positions that are neither literals nor multiples of loop variables [rolling-buffer]
