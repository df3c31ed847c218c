# Behind a loop whose range depends on another one, indices are not rewritten with ranges any more.
# RUN: %relayopt --passes=tir.FlattenBuffer %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16, 8), "float32")):
    for i, j in T.grid(16, 8):
        A[i % 16, j] = T.float32(0)
    for i in range(16):
        for j in range(i):
            A[i % 16, j % 8] = T.float32(1)
# CHECK: A_1[i * 8 + j] = T.float32(0)
# CHECK: A_1[i % 16 * 8 + j % 8] = T.float32(1)
