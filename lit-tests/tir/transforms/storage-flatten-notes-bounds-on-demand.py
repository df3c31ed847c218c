# RUN: %relayopt --passes='tir.StorageFlatten<cache_line_size=64;create_bound_attribute>' %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16, 8), "float32"), B: T.Buffer((4,), "float32")):
    T.func_attr({"from_legacy_te_schedule": True})
    A[0, 0] = B[1] + B[2]
# CHECK:      T.attr(A.data, "buffer_bound", T.tvm_tuple({{.*}}))
# CHECK-NEXT: T.attr(B.data, "buffer_bound", T.tvm_tuple({{.*}}))
# CHECK:      A_1[0] = B[1] + B[2]
