# A buffer may be declared above its memory only if that is allocated right below.
# RUN: %relayopt --verify-diagnostics %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4,), "float32"), n: T.int32):
    # expected-error@+1 {{Undefined variable: M}}
    M_1 = T.Buffer((8,), data=M)
    A[0] = T.float32(1)
    M = T.allocate([8], "float32", "global")
    M_1[0] = T.float32(1)

@T.prim_func
def other(A: T.Buffer((4,), "float32"), n: T.int32):
    K_1 = T.Buffer((8,), data=K)
    # expected-error@+1 {{Undefined variable: N}}
    K = T.allocate([N], "float32", "global")
    K_1[0] = T.float32(1)
