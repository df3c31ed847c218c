# What is recorded about accesses of threads is kept for the bytes that they access, not for all of a large buffer.
# RUN: %relayopt --run --max-memory=2000 %s | FileCheck %s
# CHECK: B: [3, 3, 3, 3]
from tvm.script import tir as T

@T.prim_func
def main(B: T.Buffer((4,), "int32")):
    A = T.allocate([50000000], "int32", "global")
    C = T.Buffer((50000000,), "int32", data=A)
    for i in T.parallel(4):
        C[i * 10000000] = 3
        B[i] = C[i * 10000000]
