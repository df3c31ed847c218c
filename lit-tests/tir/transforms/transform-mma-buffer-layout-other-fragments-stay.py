# Only memory of a scope m16n8k8.matrix* has a layout that would be rewritten.
# RUN: %relayopt %s -o %t
# RUN: %relayopt --passes=tir.TransformMmaBufferLayout %s | cmp - %t
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16, 16), "float16")):
    with T.block("b"):
        M = T.alloc_buffer((16, 16), "float16", scope="wmma.matrix_a")
        M[0, 0] = A[0, 0]
