# Where k is 0, m may be 0 as well; a factor of the extent of a loop around it is not.
# RUN: %relayopt --passes=tir.HoistExpression %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def f(A: T.Buffer((64,), "float32"), n: T.int32, m: T.int32, k: T.int32):
    for i in range(k):
        if n // m > 2:
            A[i] = T.float32(0)
# CHECK:      for i in range(k):
# CHECK-NEXT:     if 2 < n // m:
