# RUN: %relayopt --passes=tir.LowerMatchBuffer %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16, 8, 4), "float32")):
    for i in range(16):
        with T.block(""):
            T.reads()
            T.writes(A[i, 0:8, 0:4])
            s0 = T.int32()
            s1 = T.int32()
            B = T.match_buffer(A[i, 0:8, 0:4], (8, 4), strides=(s0, s1), offset_factor=1)
            for j in range(8):
                with T.block(""):
                    T.reads()
                    T.writes(B[j, 0:4])
                    C = T.match_buffer(B[j, 0:4], (4,), offset_factor=1)
                    C[1] = T.Cast("float32", s0)
# CHECK-NOT:  T.match_buffer
# CHECK:      T.writes(A[i, j, 0:4])
# CHECK-NEXT: A[i, j, 1] = T.Cast("float32", 4)
