# How many lanes there are must be known.
# RUN: not %relayopt --passes=tir.VectorizeLoop %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4,), "float32"), n: T.int32):
    for i in T.vectorized(n):
        A[i] = T.float32(1)
# CHECK: error: a vectorized loop must begin at 0 and have a positive literal extent
