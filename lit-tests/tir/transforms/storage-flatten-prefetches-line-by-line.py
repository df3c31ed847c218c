# Four floats fit into a line of 16 bytes: the innermost dimension is passed in steps of four, the outer one by one.
# RUN: %relayopt --passes='tir.StorageFlatten<cache_line_size=16>' %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16, 8), "float32"), n: T.int32):
    T.func_attr({"from_legacy_te_schedule": True})
    T.prefetch(A, [T.Range(n, n + 3), T.Range(0, 8)])
# CHECK:      for prefetch_A_0, prefetch_A_1 in T.grid(n + 3 - n, 2):
# CHECK:        A_1 = T.Buffer((128,), data=A.data)
# CHECK-NEXT:   T.prefetch(T.address_of(A_1[prefetch_A_0 * 8 + n * 8 + prefetch_A_1 * 4]), 0, 3, 1)
