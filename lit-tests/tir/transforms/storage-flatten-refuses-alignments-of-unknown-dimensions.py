# An alignment names a dimension of its buffer.
# RUN: not %relayopt %s --passes=tir.StorageFlatten 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4,), "float32")):
    T.func_attr({"from_legacy_te_schedule": T.bool(True)})
    B = T.Buffer((4,), "float32")
    with T.attr(B, "buffer_dim_align", T.tvm_tuple(1, 16, 4)):
        with T.realize(B[0:4], ""):
            B[0] = T.float32(0)

# CHECK: :9:5: error: tir.StorageFlatten: buffer_dim_align needs T.tvm_tuple(dimension, factor, offset) of literals{{.*}} [storage-flatten-align]
