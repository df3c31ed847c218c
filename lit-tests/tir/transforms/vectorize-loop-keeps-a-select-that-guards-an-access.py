# On vectors a Select, And and Or compute all lanes, so one that keeps lanes from an access outside of the buffer, or from a division
# by zero, stays scalar; where every lane may compute both values it becomes one on vectors.
# RUN: %relayopt --passes=tir.VectorizeLoop --validate %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4,), "int32"), B: T.Buffer((8,), "int32"), D: T.Buffer((8,), "int32"), C: T.Buffer((6, 8), "int32")):
    for j in range(2):
        for i in T.vectorized(4):
            C[0, i] = T.Select(i < 2, A[i + 2], A[i])
        for i in T.vectorized(4):
            C[1, i] = T.Select(B[i] != 0, 7 // B[i], 0)
        for i in T.vectorized(4):
            C[2, i] = T.Cast("int32", i < 2 and A[i + 2] > 0)
        for i in T.vectorized(4):
            C[3, j * 4 + i] = T.Select(i < 2, B[j * 4 + i], A[i])
        for i in T.vectorized(4):
            C[4, i] = T.Select(D[i] > 0, B[i] // 2, B[i] // (i + 1))
        for i in T.vectorized(4):
            C[5, i] = T.Cast("int32", D[i] > 0 or A[i] > 0)
# CHECK:      for i_s in range(4):
# CHECK-NEXT:     C[0, i_s] = T.Select(i_s < 2, A[i_s + 2], A[i_s])
# CHECK-NEXT: for i_s in range(4):
# CHECK-NEXT:     C[1, i_s] = T.Select(B[i_s] != 0, 7 // B[i_s], 0)
# CHECK-NEXT: for i_s in range(4):
# CHECK-NEXT:     C[2, i_s] = T.Cast("int32", i_s < 2 and A[i_s + 2] > 0)
# CHECK-NEXT: C[3, j * 4:j * 4 + 4] = T.Select({{.*}}, B[j * 4:j * 4 + 4], A[0:4])
# CHECK-NEXT: C[4, 0:4] = T.Select(
# CHECK-NEXT: C[5, 0:4] = T.Cast("int32x4", D[0:4] > T.Broadcast(0, 4) or A[0:4] > T.Broadcast(0, 4))
