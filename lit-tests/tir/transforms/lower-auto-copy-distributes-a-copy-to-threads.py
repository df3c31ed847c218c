# A copy to shared memory is fused, distributed to all threads, and made by vectors; rows stay without padding.
# RUN: %relayopt --passes=tir.LowerAutoCopy %s | FileCheck %s
# RUN: %relayopt --passes=tir.LowerAutoCopy --validate=each --disable-output %s 2>&1 | FileCheck %s --check-prefix=VALID
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((64, 64), "float32"), C: T.Buffer((32, 64), "float32")):
    for ty in T.thread_binding(4, thread="threadIdx.y"):
        for tx in T.thread_binding(32, thread="threadIdx.x"):
            with T.block(""):
                T.reads(A[32:64, 0:64])
                T.writes(C[0:32, 0:64])
                S = T.alloc_buffer((32, 64), "float32", scope="shared")
                with T.block("S"):
                    T.reads(A[32:64, 0:64])
                    T.writes(S[0:32, 0:64])
                    T.block_attr({"auto_copy": True, "vector_bytes": 16})
                    for i, j in T.grid(32, 64):
                        S[i, j] = A[i + 32, j]
                for i in range(16):
                    C[ty * 8 + i // 2, tx * 2 + i % 2] = S[ty * 8 + i // 2, tx * 2 + i % 2]
# CHECK:      S = T.alloc_buffer((32, 64), strides=(64, 1), scope="shared")
# CHECK:      T.block_attr({"auto_copy": T.bool(True), "vector_bytes": 16})
# CHECK-NEXT: for i_j_fused_0 in range(4):
# CHECK-NEXT:   for i_j_fused_1 in T.thread_binding(4, thread="threadIdx.y"):
# CHECK-NEXT:     for i_j_fused_2 in T.thread_binding(32, thread="threadIdx.x"):
# CHECK-NEXT:       for i_j_fused_3 in T.vectorized(4):
# CHECK-NEXT:         S[(((i_j_fused_0 * 4 + i_j_fused_1) * 32 + i_j_fused_2) * 4 + i_j_fused_3) // 64 % 32, (((i_j_fused_0 * 4 + i_j_fused_1) * 32 + i_j_fused_2) * 4 + i_j_fused_3) % 64] = A[(((i_j_fused_0 * 4 + i_j_fused_1) * 32 + i_j_fused_2) * 4 + i_j_fused_3) // 64 % 32 + 32, (((i_j_fused_0 * 4 + i_j_fused_1) * 32 + i_j_fused_2) * 4 + i_j_fused_3) % 64]
# The barriers are still missing: threads in lockstep agree.
# VALID: 0 mismatches
