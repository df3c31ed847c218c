# Rows that consecutive iterations share are stored once, to a buffer of three rows around the loop.
# RUN: %relayopt %s --passes=tir.InjectRollingBuffer --validate | FileCheck %s
# RUN: %relayopt %s --passes='tir.InjectRollingBuffer,tir.StorageFlatten' --validate | FileCheck %s --check-prefix=FLAT
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((12, 8), "float32"), C: T.Buffer((4, 8), "float32")):
    T.func_attr({"from_legacy_te_schedule": T.bool(True)})
    B = T.Buffer((12, 8), "float32")
    for i in range(4):
        with T.realize(B[i * 2:i * 2 + 3, 0:8], ""):
            with T.attr(B, "rolling_buffer_scope", True):
                for r, c in T.grid(3, 8):
                    B[i * 2 + r, c] = A[i * 2 + r, c]
            for c in range(8):
                C[i, c] = B[i * 2, c] + B[i * 2 + 2, c]


# CHECK: T.realize(B[0:3, 0:8], "")
# CHECK-NEXT: for i in range(4):
# CHECK-NEXT: for r, c in T.grid(3, 8):
# CHECK-NEXT: if i < 1 or r >= 1:
# CHECK-NEXT: B[(i * 2 + r) % 3, c] = A[i * 2 + r, c]
# CHECK-NEXT: for c in range(8):
# CHECK-NEXT: C[i, c] = B[i * 2 % 3, c] + B[(i * 2 + 2) % 3, c]

# FLAT: B.data = T.allocate([24], "float32", "global")
