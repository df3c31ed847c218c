# A pointer to a part of a larger allocation is the address of its first element; that to the first part stays.
# RUN: %relayopt --passes=tir.StorageRewrite %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "float32")):
    b = T.allocate([4], "int8", "local.L0")
    c = T.allocate([4], "int8", "local.L0")
    B = T.Buffer((4,), "int8", data=b, scope="local.L0")
    C = T.Buffer((4,), "int8", data=c, scope="local.L0")
    B[0] = T.int8(1)
    C[0] = T.int8(1)
    T.evaluate(T.call_extern("int32", "f", b))
    T.evaluate(T.call_extern("int32", "f", c))
    A[0] = T.Cast("float32", B[0] + C[0])
# CHECK: T.call_extern("int32", "f", B)
# CHECK: [[PART:B_[0-9]+]] = T.Buffer(({{[0-9]+}},), "int8", data=B, scope="local.L0")
# CHECK: T.call_extern("int32", "f", T.address_of([[PART]][{{[1-9][0-9]*}}]))
