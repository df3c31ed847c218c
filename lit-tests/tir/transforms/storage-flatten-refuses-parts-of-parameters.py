# A parameter has to be realized as a whole.
# RUN: not %relayopt %s --passes=tir.StorageFlatten 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4,), "float32")):
    T.func_attr({"from_legacy_te_schedule": T.bool(True)})
    with T.realize(A[0:2], ""):
        A[0] = T.float32(0)

# CHECK: :8:5: error: tir.StorageFlatten: Dim 0 of external buffer A has shape 4, but is only realized for extent 2 [storage-flatten-bounds]
