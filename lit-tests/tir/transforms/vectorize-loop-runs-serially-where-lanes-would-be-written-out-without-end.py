# A ramp in a vectorized loop whose lanes would have to be written out one by one stays scalar when these are more than
# --max-ops allows.
# RUN: %relayopt --passes=tir.VectorizeLoop --max-ops=20 %s | FileCheck %s
# RUN: %relayopt --passes=tir.VectorizeLoop %s | FileCheck %s --check-prefix=FEW
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((64,), "int32"), n: T.int32):
    for i in T.vectorized(8):
        A[T.Ramp(i * i, n, 4)] = T.Broadcast(0, 4)
# CHECK: for i_s in range(8):
# CHECK-NOT: T.Shuffle
# FEW: T.Shuffle
