# A parameter that is realized keeps its memory; that it is realized as a whole is asserted where it is not known.
# RUN: %relayopt %s --passes=tir.StorageFlatten | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(a: T.handle, n: T.int32, A: T.Buffer((4,), "float32")):
    T.func_attr({"from_legacy_te_schedule": T.bool(True)})
    m = T.int32()
    C = T.match_buffer(a, (m,), "float32")
    with T.realize(A[0:4], ""):
        with T.realize(C[0:n], ""):
            C[0] = A[0]

# CHECK: T.attr(A, "realize_scope", "")
# CHECK-NEXT: T.attr(C, "realize_scope", "")
# CHECK-NEXT: assert m == n, "Dim 0 of external buffer C has shape m, but is only realized for extent n"
# CHECK-NEXT: C[0] = A[0]
# CHECK-NOT: T.allocate
