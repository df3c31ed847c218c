# A condition that binds two loops keeps their sum together.
# RUN: %relayopt --passes=tir.FlattenBuffer %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((100, 10), "float32"), B: T.Buffer((100,), "float32")):
    for i, j, k in T.grid(13, 8, 10):
        if i * 8 + j < 100:
            A[i * 8 + j, k] = T.float32(1)
    for i, j, k in T.grid(13, 8, 10):
        A[i * 8 + j, k] = T.float32(2)
# CHECK: A_1[(i * 8 + j) * 10 + k] = T.float32(1)
# CHECK: A_1[i * 80 + j * 10 + k] = T.float32(2)
