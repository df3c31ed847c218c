# RUN: %relayopt --passes=tir.ConvertBlocksToOpaque %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "int32"), B: T.Buffer((16,), "int32")):
    for i in range(8):
        with T.block("b"):
            vi = T.axis.spatial(16, i * 2)
            T.where(i < 7)
            T.reads(B[vi])
            T.writes(A[vi + 1])
            A[vi + 1] = B[vi]
# CHECK:      with T.block("b"):
# CHECK-NEXT:   T.where(i < 7)
# CHECK-NEXT:   T.reads(B[i * 2])
# CHECK-NEXT:   T.writes(A[i * 2 + 1])
# CHECK-NEXT:   A[i * 2 + 1] = B[i * 2]
