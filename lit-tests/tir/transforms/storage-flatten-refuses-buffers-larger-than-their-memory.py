# Memory of an accelerator has a size.
# RUN: not %relayopt %s --passes=tir.StorageFlatten 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4,), "float32")):
    T.func_attr({"from_legacy_te_schedule": T.bool(True)})
    B = T.Buffer((8388608,), "int8", scope="local.vtcm")
    with T.realize(B[0:8388608], ""):
        B[0] = T.int8(0)

# CHECK: :9:5: error: tir.StorageFlatten: buffer B is larger than the memory local.vtcm [storage-flatten-memory]
