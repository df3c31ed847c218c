# The dimension of the outermost loop rolls; in others, too, elements that iterations share are stored once.
# RUN: %relayopt %s --passes=tir.InjectRollingBuffer --validate | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((12, 8), "float32"), C: T.Buffer((4, 8), "float32")):
    T.func_attr({"from_legacy_te_schedule": T.bool(True)})
    B = T.Buffer((12, 8), "float32")
    for i in range(4):
        for j in range(3):
            with T.realize(B[i:i + 2, j * 2:j * 2 + 4], ""):
                with T.attr(B, "rolling_buffer_scope", True):
                    for r, c in T.grid(2, 4):
                        B[i + r, j * 2 + c] = A[i + r, j * 2 + c]
                C[i, j] = B[i + 1, j * 2 + 3] + B[i, j * 2]


# CHECK: T.realize(B[0:2, 0:8], "")
# CHECK-NEXT: for i, j in T.grid(4, 3):
# CHECK-NEXT: for r, c in T.grid(2, 4):
# CHECK-NEXT: if j < 1 or c >= 2:
# CHECK-NEXT: if i < 1 or r >= 1:
# CHECK-NEXT: B[(i + r) % 2, j * 2 + c] = A[i + r, j * 2 + c]
# CHECK-NEXT: C[i, j] = B[(i + 1) % 2, j * 2 + 3] + B[i % 2, j * 2]
