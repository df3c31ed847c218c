# A store of several elements goes through as many of the local memory.
# RUN: %relayopt --passes=tir.ManifestSharedMemoryLocalStage %s | FileCheck %s
# RUN: %relayopt --passes=tir.ManifestSharedMemoryLocalStage --validate=each --disable-output %s 2>&1 | FileCheck %s --check-prefix=VALID
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    with T.block(""):
        T.reads(A[0:8])
        T.writes(C[0:8])
        S = T.alloc_buffer((8,), "float32", scope="shared")
        for i in range(2):
            with T.block(""):
                T.reads(A[i * 4:i * 4 + 4])
                T.writes(S[i * 4:i * 4 + 4])
                T.block_attr({"tir.manifest_shared_memory_local_stage": 1})
                S[i * 4:i * 4 + 4] = A[i * 4:i * 4 + 4]
        for k in range(8):
            C[k] = S[k]
# CHECK:      S_local = T.alloc_buffer((2, 4), scope="local")
# CHECK:        T.writes(S_local[i, 0:4])
# CHECK-NEXT:   S_local[i, 0:4] = A[i * 4:i * 4 + 4]
# CHECK:        S[i * 4:i * 4 + 4] = S_local[i, 0:4]
# VALID: validate: 1 pass: 1 ok
