# RUN: %relayopt --passes=tir.VerifyWellFormed %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4, 4), "float32")):
    for i, j in T.grid(4, 4):
        with T.block("update"):
            T.reads()
            T.writes(A[i, j])
            A[i, j] = T.float32(1)
# CHECK: with T.block("update"):
