# RUN: not %relayopt --passes=tir.TextureFlatten %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(B: T.Buffer((8, 16, 3), "float32")):
    A = T.Buffer((8, 16, 3), "float32", scope="global.texture")
    with T.realize(A[0:8, 0:16, 0:3], "global.texture"):
        A[0, 0, 0] = T.float32(1)
# CHECK: error: FCD of texture must be vector of length 1 or 4 (RGBA)
