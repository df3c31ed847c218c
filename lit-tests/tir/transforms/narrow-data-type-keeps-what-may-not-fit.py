# Nothing is known of n; j is used where it need not be wide.
# RUN: %relayopt '--passes=tir.NarrowDataType<target_bits=32>' %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(a: T.handle, n: T.int64):
    A = T.match_buffer(a, (n,), "float32")
    for i in range(n):
        for j in range(T.int64(4)):
            A[i + j] = T.float32(0)
# CHECK: for i in range(n):
# CHECK: A[i + {{.*}}j{{.*}}] = T.float32(0)
