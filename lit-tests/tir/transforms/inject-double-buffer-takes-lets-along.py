# What fills the other half of a double buffer runs outside of the lets of its loop, and gets their values.
# RUN: %relayopt --passes=tir.InjectDoubleBuffer --validate %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((24,), "float32"), B: T.Buffer((6,), "float32")):
    for i in range(6):
        M = T.allocate([4], "float32", "global")
        x: T.int32 = i * 4
        y: T.int32 = x + 3
        M_1 = T.Buffer((4,), data=M)
        with T.attr(M, "double_buffer_scope", 1):
            for j in range(4):
                M_1[j] = A[x + j] + A[y]
        B[i] = M_1[0] + M_1[3]
# CHECK: M_1_1[T.Mul(0, 4) + j] = A[T.Mul(0, 4) + j] + A[T.Mul(0, 4) + 3]
# CHECK: M_1_1[(i_outer + 1) % 2 * 4 + j] = A[(i_outer + 1) * 4 + j] + A[(i_outer + 1) * 4 + 3]
