# Memory with a tag of its own is not allocated: it has an address, or none at all.
# RUN: %relayopt --passes=tir.LowerDeviceStorageAccessInfo %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.handle("float32"), n: T.int32):
    B = T.allocate([16], "int8", "local.vtcm")
    C = T.allocate([16], "float32", "global.texture")
    D = T.allocate([16], "float32", "shared.dyn")
    T.call_extern("int32", "f", T.tvm_access_ptr(T.type_annotation("float32"), A, 4 * n, 8, 1), B, D)
# CHECK:      B: T.handle("int8", "local.vtcm") = T.reinterpret("handle", T.uint64(100))
# CHECK-NOT:  C
# CHECK:      D = T.allocate([16], "float32", "shared.dyn")
# CHECK-NEXT: A_1 = T.Buffer((4 * n + 1,), data=A)
# CHECK-NEXT: T.call_extern("int32", "f", T.address_of(A_1[4 * n]), B, D)
