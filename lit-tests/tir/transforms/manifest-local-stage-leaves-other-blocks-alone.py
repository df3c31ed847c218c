# Stores to shared memory without the annotation stay.
# RUN: %relayopt --passes=tir.ManifestSharedMemoryLocalStage %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    with T.block(""):
        T.reads(A[0:8])
        T.writes(C[0:8])
        S = T.alloc_buffer((8,), "float32", scope="shared")
        for i in range(8):
            with T.block(""):
                T.reads(A[i])
                T.writes(S[i])
                S[i] = A[i]
        C[0] = S[0]
# CHECK-NOT: local
