# Arithmetic may be evaluated for both values, and what an inner condition guards is safe.
# RUN: %relayopt --passes=tir.RewriteUnsafeSelect %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    for i in range(8):
        B[i] = T.Select(i > 1, T.exp(T.float32(2)), T.float32(1))
        C[i] = T.Select(i > 1, T.Select(i > 2, A[i - 2], T.float32(2)), T.float32(1))
# CHECK: B[i] = T.Select(i > 1, T.exp(T.float32(2)), T.float32(1))
# CHECK: C[i] = T.Select(i > 1, T.if_then_else(i > 2, A[i - 2], T.float32(2)), T.float32(1))
