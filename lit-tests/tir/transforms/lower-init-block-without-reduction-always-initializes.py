# An initialization without a reduction variable runs in every iteration.
# RUN: %relayopt --passes=tir.LowerInitBlock %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int32")):
    for i in range(4):
        with T.block("copy"):
            vi = T.axis.spatial(4, i)
            T.reads(A[vi])
            T.writes(B[vi])
            with T.init():
                B[vi] = 7
            B[vi] = B[vi] + A[vi]
# CHECK-NOT:  if
# CHECK:      T.writes(B[vi])
# CHECK-NEXT: B[vi] = 7
# CHECK-NEXT: B[vi] = B[vi] + A[vi]
