# In the first part the condition holds for certain; in the rest it is asked as before.
# RUN: %relayopt --passes=tir.LoopPartition %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((64,), "float32"), n: T.int32, m: T.int32):
    for i in range(n):
        if T.likely(i < m):
            A[i] = T.float32(0)
# CHECK:      for i in range(T.min(m, n{{.*}})):
# CHECK-NEXT:   if T.bool(True):
# CHECK:      for i{{.*}} in range(n - m):
