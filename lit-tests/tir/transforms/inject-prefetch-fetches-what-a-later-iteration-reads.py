# The region of the next but one iteration.
# RUN: %relayopt --passes=tir.InjectPrefetch %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    T.func_attr({"from_legacy_te_schedule": True})
    for i in range(8):
        with T.attr(A, "prefetch_scope", 2):
            for j in range(8):
                B[i * 8 + j] = A[i * 8 + j]
# CHECK:      for i in range(8):
# CHECK-NEXT:   T.prefetch(A, [T.Range(i * 8 + 16, 8)])
# CHECK-NEXT:   for j in range(8):
