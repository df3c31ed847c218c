# Where i + 1 is beyond T.min(n, 6), nothing is left for the second part, and the first one ends with the loop.
# RUN: %relayopt --passes=tir.LoopPartition --validate %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(n: T.int32, A: T.Buffer((8,), "int32")):
    for i in range(3):
        for j in range(T.min(n, 6)):
            A[j] = T.if_then_else(T.likely(i < j), A[i], A[j] + 1)
# CHECK: for j in range(T.min(i + 1, {{.*}}T.min(n, 6) - 1 + 1
