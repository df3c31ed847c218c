# Blocks without the annotation, or with a value of 0, and copies between other memory stay.
# RUN: %relayopt --passes=tir.LowerAutoCopy %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    with T.block(""):
        T.reads(A[0:8])
        T.writes(C[0:8])
        S = T.alloc_buffer((8,), "float32", scope="shared")
        L = T.alloc_buffer((8,), "float32", scope="local")
        with T.block("off"):
            T.reads(A[0:8])
            T.writes(S[0:8])
            T.block_attr({"auto_copy": 0})
            for i in range(8):
                S[i] = A[i]
        with T.block("local"):
            T.reads(A[0:8])
            T.writes(L[0:8])
            T.block_attr({"auto_copy": 1})
            for i in range(8):
                L[i] = A[i]
        C[0] = S[0] + L[0]
# CHECK: S = T.alloc_buffer((8,), scope="shared")
# CHECK:   S[i] = A[i]
# CHECK:   L[i] = A[i]
