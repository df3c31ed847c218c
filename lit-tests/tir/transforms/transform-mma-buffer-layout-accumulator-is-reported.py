# Each of the scopes is reported, and the error points at the block that allocates.
# RUN: %relayopt --passes=tir.TransformMmaBufferLayout --verify-diagnostics --disable-output %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16, 8), "float32")):
    for i in range(2):
        with T.block("b"):  # expected-error {{a buffer lies in m16n8k8.matrix memory}}
            v = T.axis.spatial(2, i)
            M = T.alloc_buffer((16, 8), "float32", scope="m16n8k8.matrixC")
            M[v, 0] = A[v, 0]
