# RUN: not %relayopt --passes=tir.StorageFlatten %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(p: T.handle("float32", "global")):
    T.func_attr({"from_legacy_te_schedule": True})
    A = T.Buffer((16, 8), data=p)
    A[0, 0] = T.float32(0)
# CHECK: :8:5: error: tir.StorageFlatten: nothing allocates the memory of buffer A
