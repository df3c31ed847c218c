# RUN: %relayopt --passes=tir.TextureFlatten --verify-diagnostics --split-input-file --disable-output %s
from tvm.script import tir as T

@T.prim_func
def main(B: T.Buffer((16, 4), "float32")):
    A = T.Buffer((16, 4), "float32", scope="global.texture")
    with T.realize(A[0:16, 0:4], "global.texture"):  # expected-error {{Only 2d RGBA texture is currently supported}}
        A[0, 0] = B[0, 0]

// -----

from tvm.script import tir as T

@T.prim_func
def main(B: T.Buffer((8, 16, 4), "float32")):
    A = T.Buffer((8, 16, 4), "float32", scope="global.texture-other")
    with T.realize(A[0:8, 0:16, 0:4], "global.texture-other"):
        A[0, 0, 0] = B[0, 0, 0]  # expected-error {{global.texture-other is not a texture memory}}
