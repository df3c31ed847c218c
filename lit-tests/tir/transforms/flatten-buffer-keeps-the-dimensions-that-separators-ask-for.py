# Memory has as many dimensions as the buffers on it, also where no declaration is right inside of the allocation.
# RUN: %relayopt --passes=tir.FlattenBuffer,tir.StorageRewrite %s | FileCheck %s
# RUN: sed 's/# here/T.func_attr({"from_legacy_te_schedule": T.bool(True)})/' %s | %relayopt --passes=tir.StorageFlatten - | FileCheck --check-prefix=LEGACY %s
from tvm.script import tir as T

@T.prim_func
def main(D: T.Buffer((64,), "float32")):
    # here
    A_data = T.allocate([2, 4, 8], "float32", "global")
    B_data = T.allocate([4, 4], "float32", "global")
    A = T.Buffer((2, 4, 8), data=A_data, axis_separators=[1])
    B = T.Buffer((4, 4), data=B_data)
    for i, j, k in T.grid(2, 4, 8):
        A[i, j, k] = D[i * 32 + j * 8 + k]
    for i, j in T.grid(4, 4):
        B[i, j] = A[0, i, j]
    for i, j in T.grid(4, 4):
        D[i * 4 + j] = B[i, j] + A[1, i, j]
# CHECK-DAG:  T.allocate([2, 32], "float32", "global")
# CHECK-DAG:  T.allocate([16], "float32", "global")
# LEGACY:     T.allocate([2, 32], "float32", "global")
# LEGACY:     T.allocate([16], "float32", "global")
