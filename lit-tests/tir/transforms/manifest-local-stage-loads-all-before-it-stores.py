# A store to shared memory goes through memory of the thread that the whole nest fills first.
# RUN: %relayopt --passes=tir.ManifestSharedMemoryLocalStage %s | FileCheck %s
# RUN: %relayopt --passes=tir.ManifestSharedMemoryLocalStage --validate=each --disable-output %s 2>&1 | FileCheck %s --check-prefix=VALID
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((128,), "float32"), C: T.Buffer((128,), "float32")):
    for tx in T.thread_binding(16, thread="threadIdx.x"):
        with T.block(""):
            T.reads(A[0:128])
            T.writes(C[0:128])
            S = T.alloc_buffer((128,), "float32", scope="shared")
            for i in range(2):
                for j in T.vectorized(4):
                    with T.block("S"):
                        T.where(i < 2)
                        T.reads(A[i * 64 + tx * 4 + j])
                        T.writes(S[i * 64 + tx * 4 + j])
                        T.block_attr({"tir.manifest_shared_memory_local_stage": 1, "kept": 2})
                        S[i * 64 + tx * 4 + j] = A[i * 64 + tx * 4 + j] * T.float32(2)
            for k in range(8):
                C[tx * 8 + k] = S[tx * 8 + k]
# CHECK:      S = T.alloc_buffer((128,), scope="shared")
# CHECK-NEXT: S_local = T.alloc_buffer((2, 4), scope="local")
# CHECK-NEXT: for i in range(2):
# CHECK-NEXT:   for j in T.vectorized(4):
# CHECK-NEXT:     with T.block(""):
# CHECK-NEXT:       T.where(i < 2)
# CHECK-NEXT:       T.reads(A[i * 64 + tx * 4 + j])
# CHECK-NEXT:       T.writes(S_local[i, j])
# CHECK-NEXT:       S_local[i, j] = A[i * 64 + tx * 4 + j] * T.float32(2)
# CHECK-NEXT: for i in range(2):
# CHECK-NEXT:   for j in T.vectorized(4):
# CHECK-NEXT:     with T.block("S"):
# CHECK-NEXT:       T.where(i < 2)
# CHECK-NEXT:       T.reads(A[i * 64 + tx * 4 + j])
# CHECK-NEXT:       T.writes(S[i * 64 + tx * 4 + j])
# CHECK-NEXT:       T.block_attr({"kept": 2})
# CHECK-NEXT:       S[i * 64 + tx * 4 + j] = S_local[i, j]
# CHECK-NEXT: for k in range(8):
# VALID: validate: 1 pass: 1 ok
