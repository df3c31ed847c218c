# A buffer is realized once.
# RUN: not %relayopt %s --passes=tir.StorageFlatten 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4,), "float32")):
    T.func_attr({"from_legacy_te_schedule": T.bool(True)})
    B = T.Buffer((4,), "float32")
    with T.realize(B[0:4], ""):
        B[0] = T.float32(0)
    with T.realize(B[0:4], ""):
        B[0] = T.float32(0)

# CHECK: :11:5: error: tir.StorageFlatten: buffer B is realized by another T.realize, too [storage-flatten-realized-twice]
