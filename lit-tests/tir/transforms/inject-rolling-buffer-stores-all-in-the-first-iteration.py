# The first iteration of a loop that begins at 1 stores all rows.
# RUN: %relayopt %s --passes=tir.InjectRollingBuffer --validate | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((12, 8), "float32"), C: T.Buffer((4, 8), "float32")):
    T.func_attr({"from_legacy_te_schedule": T.bool(True)})
    B = T.Buffer((12, 8), "float32")
    for i in range(1, 4):
        with T.realize(B[i:i + 3, 0:8], ""):
            with T.attr(B, "rolling_buffer_scope", True):
                for r in range(3):
                    B[i + r, 0] = A[i + r, 0]
            C[i, 0] = B[i, 0] + B[i + 2, 0]


# CHECK: if i < 2 or r >= 2:
