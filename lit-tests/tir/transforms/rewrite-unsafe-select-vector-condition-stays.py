# T.if_then_else needs a scalar condition, and the address of an element is computed without a load.
# RUN: %relayopt %s -o %t
# RUN: %relayopt --passes=tir.RewriteUnsafeSelect %s | cmp - %t
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32"), n: T.int32):
    B[0:4] = T.Select(T.Ramp(0, 1, 4) < T.Broadcast(n, 4), A[0:4], A[4:8])
    T.call_extern("int32", "f", T.Select(n > 1, T.address_of(A[0]), T.address_of(B[0])))
