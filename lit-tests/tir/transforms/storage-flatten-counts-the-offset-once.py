# The offset of a buffer is a part of the index, and none of the flat buffer any more: a second flattening does not count
# it again.
# RUN: %relayopt --passes=tir.StorageFlatten %s | FileCheck %s
# RUN: %relayopt --passes=tir.StorageFlatten,tir.StorageFlatten %s | FileCheck %s
# RUN: %relayopt --passes=tir.StorageFlatten,tir.StorageFlatten --validate --disable-output --bind=n=3 %s 2>&1 | FileCheck --check-prefix=VALID %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((32,), "int32"), n: T.int32):
    T.func_attr({"from_legacy_te_schedule": T.bool(True)})
    B = T.Buffer((4, 4), "int32", data=A.data, elem_offset=n)
    C = T.Buffer((4, 4), "int32", data=A.data, elem_offset=16)
    for i, j in T.grid(4, 4):
        B[i, j] = i
        C[i, j] = B[i, j] + 1
# CHECK:      B = T.Buffer((16 + n,), "int32", data=A.data)
# CHECK-NEXT: B[i * 4 + j + n] = i
# CHECK-NEXT: C = T.Buffer((32,), "int32", data=A.data)
# CHECK-NEXT: C[i * 4 + j + 16] = B[i * 4 + j + n] + 1
# VALID:      validate: 2 passes: {{[12]}} ok
