# A realized buffer is allocated with the extents of its bounds, and indices count from their beginning.
# RUN: %relayopt %s --passes=tir.StorageFlatten --validate | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4, 16), "float32"), C: T.Buffer((4, 16), "float32")):
    T.func_attr({"from_legacy_te_schedule": T.bool(True)})
    B = T.Buffer((4, 16), "float32", scope="shared")
    with T.realize(C[0:4, 0:16], ""):
        for i in range(4):
            with T.realize(B[i:i + 1, 4:12], ""):
                for j in range(8):
                    B[i, j + 4] = A[i, j + 4] + T.float32(1)
                for j in range(8):
                    C[i, j] = B[i, 11 - j]

# CHECK: T.attr(C, "realize_scope", "")
# CHECK-NEXT: for i in range(4):
# CHECK-NEXT: B = T.Buffer((1, 8), scope="shared")
# CHECK-NEXT: T.attr(B, "realize_scope", "")
# CHECK-NEXT: B.data = T.allocate([8], "float32", "shared")
# CHECK-NEXT: B_1 = T.Buffer((8,), data=B.data, scope="shared", align=32)
# CHECK: B_1[j] = A_1[i * 16 + j + 4] + T.float32(1)
# CHECK: C_1[i * 16 + j] = B_1[7 - j]
