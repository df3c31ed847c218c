# --bind gives an extent by its own name, by that of the parameter, or by that of the buffer, of all axes or of one.
# RUN: %relayopt --run --bind=n=2,m=3 %s | FileCheck %s
# RUN: %relayopt --run --bind=A=2,A.1=3 %s | FileCheck %s
# RUN: %relayopt --run --bind=a.0=2,a.1=3 %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def f(a: T.handle):
    n, m = T.int32(), T.int32()
    A = T.match_buffer(a, (n, m), "int32")
    for i, j in T.grid(n, m):
        A[i, j] = i * 10 + j
# CHECK: A: {{\[}}[0, 1, 2], [10, 11, 12]]
