# RUN: not %relayopt --passes=tir.StorageRewrite %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "float32")):
    b = T.allocate([16], "float32", "global")
    T.attr(b, "some_attribute", b)
    A[1] = T.float32(0)
# CHECK: error: b is used here, between the statements that its allocation covers
