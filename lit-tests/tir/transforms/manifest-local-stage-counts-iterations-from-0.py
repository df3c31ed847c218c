# The local memory is indexed by the distance from the first iteration, and is before its statement alone.
# RUN: %relayopt --passes=tir.ManifestSharedMemoryLocalStage %s | FileCheck %s
# RUN: %relayopt --passes=tir.ManifestSharedMemoryLocalStage --validate=each --disable-output %s 2>&1 | FileCheck %s --check-prefix=VALID
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    with T.block(""):
        T.reads(A[0:8])
        T.writes(C[0:8])
        S = T.alloc_buffer((8,), "float32", scope="shared.dyn")
        C[0] = A[0]
        for i in range(2, 8):
            with T.block(""):
                T.reads(A[i])
                T.writes(S[i])
                T.block_attr({"tir.manifest_shared_memory_local_stage": 1})
                S[i] = A[i]
        for k in range(2, 8):
            C[k] = S[k]
# CHECK:      S_local = T.alloc_buffer((6,), scope="local")
# CHECK-NEXT: C[0] = A[0]
# CHECK-NEXT: for i in range(2, 8):
# CHECK:        S_local[i - 2] = A[i]
# CHECK:      for i in range(2, 8):
# CHECK:        S[i] = S_local[i - 2]
# VALID: validate: 1 pass: 1 ok
