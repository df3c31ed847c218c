# The load must not be evaluated where the condition is false.
# RUN: %relayopt --passes=tir.RewriteUnsafeSelect %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")):
    for i in range(8):
        B[i] = T.Select(i > 1, A[i - 1], T.float32(1))
# CHECK: B[i] = T.if_then_else(i > 1, A[i - 1], T.float32(1))
