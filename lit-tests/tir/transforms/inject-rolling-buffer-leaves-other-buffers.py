# A buffer whose attribute says no, or that has none, stays inside of the loop.
# RUN: %relayopt %s --passes=tir.InjectRollingBuffer --validate | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((12, 8), "float32"), C: T.Buffer((4, 8), "float32")):
    T.func_attr({"from_legacy_te_schedule": T.bool(True)})
    B = T.Buffer((12, 8), "float32")
    for i in range(4):
        with T.realize(B[i:i + 3, 0:8], ""):
            with T.attr(B, "rolling_buffer_scope", False):
                for r in range(3):
                    B[i + r, 0] = A[i + r, 0]
            C[i, 0] = B[i, 0] + B[i + 2, 0]


# CHECK: for i in range(4):
# CHECK-NEXT: B = T.Buffer((12, 8))
# CHECK-NEXT: T.realize(B[i:i + 3, 0:8], "")
# CHECK: B[i + r, 0] = A[i + r, 0]
