# Accesses outside of marked blocks, to other memory and to vectors stay, and a mark of 0 is none.
# RUN: %relayopt --passes=tir.InjectPermutedLayout %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16, 64), "float16")):
    with T.block(""):
        T.reads(A[0:16, 0:64])
        T.writes()
        S = T.alloc_buffer((16, 64), "float16", scope="shared")
        V = T.alloc_buffer((64,), "float16", scope="shared")
        with T.block("off"):
            T.reads(A[0:16, 0:64])
            T.writes(S[0:16, 0:64])
            T.block_attr({"permuted_layout": 0})
            S[1, 9] = A[1, 9]
        with T.block("on"):
            T.reads(A[0:16, 0:64])
            T.writes(V[0:64])
            T.block_attr({"permuted_layout": 1})
            V[9] = A[1, 9]
        S[1, 9] = A[1, 9]
# CHECK: T.block_attr({"permuted_layout": 0})
# CHECK: S[1, 9] = A[1, 9]
# CHECK: V[9] = A[1, 9]
# CHECK: S[1, 9] = A[1, 9]
