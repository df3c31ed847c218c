# RUN: %relayopt --passes=tir.VectorizeLoop %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.handle("float32", "global.texture"), C: T.Buffer((4,), "float32"), m: T.int32):
    for i in T.vectorized(4):
        C[i] = T.texture2d_load(A, m, 0, i, dtype="float32")
        T.evaluate(T.texture2d_store(A, m, 0, C[i], dtype="float32"))
        T.evaluate(T.texture2d_store(A, i, 0, C[i], dtype="float32"))
# CHECK:      C[0:4] = T.texture2d_load(A, m, 0, T.Ramp(0, 1, 4))
# CHECK-NEXT: T.texture2d_store(A, m, 0, C[0:4])
# CHECK-NEXT: for i_s in range(4):
# CHECK-NEXT:     T.texture2d_store(A, i_s, 0, C[i_s])
