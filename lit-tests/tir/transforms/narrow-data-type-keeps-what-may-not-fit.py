# Nothing is known of n, so the sum may need 64 bits, and with it everything in it.
# RUN: %relayopt '--passes=tir.NarrowDataType<target_bits=32>' %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(a: T.handle, n: T.int64):
    A = T.match_buffer(a, (n,), "float32")
    for i in range(n):
        for j in range(T.int64(4)):
            A[i + j] = T.float32(0)
# CHECK:      for i, j in T.grid(n, T.int64(4)):
# CHECK-NEXT:   A[i + j] = T.float32(0)
