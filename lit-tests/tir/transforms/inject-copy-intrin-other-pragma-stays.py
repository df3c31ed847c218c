# A pragma with another key, and one on another statement, is left alone.
# RUN: %relayopt %s -o %t
# RUN: %relayopt --passes='tir.InjectCopyIntrin<pragma_key=copy;fintrin=f>' %s | cmp - %t
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32")):
    with T.attr(0, "pragma_unroll", 1):
        for i in range(16):
            A[i] = B[i]
    with T.attr(0, "copy", 1):
        A[0] = B[0]
