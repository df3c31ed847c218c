# buffer_dim_align gives a realized buffer strides: that of dimension 0 is 4 modulo 16.
# RUN: %relayopt %s --passes=tir.StorageFlatten --validate | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4, 16), "float32"), C: T.Buffer((4, 16), "float32")):
    T.func_attr({"from_legacy_te_schedule": T.bool(True)})
    B = T.Buffer((4, 16), "float32", scope="shared")
    with T.attr(B, "buffer_dim_align", T.tvm_tuple(0, 16, 4)):
        with T.realize(B[0:4, 0:16], ""):
            for i, j in T.grid(4, 16):
                B[i, j] = A[i, j]
            for i, j in T.grid(4, 16):
                C[i, j] = B[3 - i, j]

# CHECK-NOT: buffer_dim_align
# CHECK: B.data = T.allocate([80], "float32", "shared")
# CHECK-NEXT: B_1 = T.Buffer((80,), data=B.data, scope="shared")
# CHECK: B_1[i * 20 + j] = A_1[i * 16 + j]
# CHECK: C_1[i * 16 + j] = B_1[j + 60 - i * 20]
