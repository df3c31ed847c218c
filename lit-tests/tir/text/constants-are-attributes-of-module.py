# What is defined outside of the functions by literals and other constants means what it means in Python.
# RUN: %relayopt %s | FileCheck %s
from tvm.script import tir as T

M, N = 4, 2 ** 3
N = N * 2
shape = (M, N)
dtype = "float" + "32"

@T.prim_func
def f(A: T.Buffer(shape, dtype)):
    for i, j in T.grid(M, N // 2):
        A[i, j + N // 2] = T.float32(N)
# CHECK: def f(A: T.Buffer((4, 16), "float32")):
# CHECK-NEXT: for i, j in T.grid(4, 8):
# CHECK-NEXT: A[i, j + 8] = T.float32(16)
