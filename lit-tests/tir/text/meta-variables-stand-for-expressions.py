# What T.meta_var names is no variable of the program.
# RUN: %relayopt %s --verify-roundtrip | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4, 8), "int32"), n: T.int32):
    x, y = T.meta_var((n + 1, n * 2))
    shape = T.meta_var((4, 8))
    one = T.meta_var(1)
    for i, j in T.grid(*shape):
        k = T.meta_var(i + one)
        A[i, j] = k * x - y
# CHECK: for i, j in T.grid(4, 8):
# CHECK-NEXT: A[i, j] = (i + 1) * (n + 1) - n * 2
