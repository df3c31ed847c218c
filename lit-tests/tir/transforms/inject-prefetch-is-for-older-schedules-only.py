# Without the attribute nothing changes.
# RUN: %relayopt %s -o %t
# RUN: %relayopt --passes=tir.InjectPrefetch %s | cmp - %t
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")):
    for i in range(8):
        with T.attr(A, "prefetch_scope", 1):
            B[i] = A[i]
