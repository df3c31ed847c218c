# A copy from fragments to global memory stores a row of tiles to shared memory, from where all threads compute and copy.
# RUN: %relayopt --passes=tir.LowerAutoCopy %s | FileCheck %s
# RUN: %relayopt --passes=tir.LowerAutoCopy --validate=each --disable-output %s 2>&1 | FileCheck %s --check-prefix=VALID
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((64,), "float32"), C: T.Buffer((64, 32), "float32")):
    for ty in T.thread_binding(2, thread="threadIdx.y"):
        with T.block("root"):
            T.reads(A[0:64])
            T.writes(C[ty * 32:ty * 32 + 32, 0:32])
            T.block_attr({"warp_execution": 1})
            F = T.alloc_buffer((32, 32), "float32", scope="wmma.accumulator")
            with T.block("C"):
                T.reads(A[ty * 32:ty * 32 + 32], F[0:32, 0:32])
                T.writes(C[ty * 32:ty * 32 + 32, 0:32])
                T.block_attr({"auto_copy": 1, "vector_bytes": 16})
                for i, j in T.grid(32, 32):
                    C[ty * 32 + i, j] = F[i, j] + A[ty * 32 + i]
# CHECK:      F_shared_dyn = T.alloc_buffer((2, 2, 16, 16), strides=(512, 256, 16, 1), scope="shared.dyn")
# CHECK-NEXT: for i_0 in range(2):
# CHECK-NEXT:   for j_0 in range(2):
# CHECK-NEXT:     with T.block("wmma_store"):
# CHECK-NEXT:       T.reads(F[i_0 * 16:i_0 * 16 + 16, j_0 * 16:j_0 * 16 + 16])
# CHECK-NEXT:       T.writes(F_shared_dyn[ty, j_0, 0:16, 0:16])
# CHECK:            T.tvm_store_matrix_sync(src.data,
# CHECK-NEXT:   for [[F:.*fused_]]0 in range(4):
# CHECK-NEXT:     for [[F]]1 in T.thread_binding(2, thread="threadIdx.y"):
# CHECK-NEXT:       for [[F]]2 in T.thread_binding(32, thread="threadIdx.x"):
# CHECK-NEXT:         for [[F]]3 in T.vectorized(4):
# CHECK-NEXT:           C[{{.*}}] = F_shared_dyn[{{.*}}] + A[{{.*}}]
# VALID: 0 mismatches
