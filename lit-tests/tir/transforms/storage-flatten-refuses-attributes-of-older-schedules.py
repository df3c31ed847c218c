# What is not supported is an error that names it.
# RUN: %relayopt --passes=tir.StorageFlatten --verify-diagnostics --disable-output %s
# expected-error@unknown {{tir.StorageFlatten: the attribute layout_transform_map is not supported}}
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "float32")):
    T.func_attr({"from_legacy_te_schedule": True, "layout_transform_map": 1})
    A[0] = T.float32(1)
