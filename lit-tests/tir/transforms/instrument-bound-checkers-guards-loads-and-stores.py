# A conditional in the store takes its check away.
# RUN: %relayopt --passes='tir.StorageFlatten<create_bound_attribute>,tir.InstrumentBoundCheckers' %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "int32"), B: T.Buffer((8,), "int32"), n: T.int32):
    T.func_attr({"from_legacy_te_schedule": True})
    A[n] = B[n + 1]
    A[n] = T.if_then_else(n < 7, B[n + 1], 0)
# CHECK:      if T.Cast("int64", n + 1) >= T.int64(0) and T.Cast("int64", n + 1) < T.Cast("int64", 8) and {{.*}} < T.Cast("int64", 16)
# CHECK-NEXT:   A[n] = B[n + 1]
# CHECK-NEXT: else:
# CHECK-NEXT:   assert {{.*}}, "OUT OF THE BOUNDS"
# CHECK-NOT:  if T.Cast
# CHECK:      A[n] = T.if_then_else
