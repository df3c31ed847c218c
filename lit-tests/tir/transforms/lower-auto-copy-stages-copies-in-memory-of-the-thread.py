# With local_stage a thread loads all of its elements before it stores the first one, and copies no more than there are.
# RUN: %relayopt --passes=tir.LowerAutoCopy %s | FileCheck %s
# RUN: %relayopt --passes=tir.LowerAutoCopy --validate=each --disable-output %s 2>&1 | FileCheck %s --check-prefix=VALID
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((40,), "float32"), A2: T.Buffer((8, 8), "float32"), C: T.Buffer((40,), "float32")):
    for tx in T.thread_binding(32, thread="threadIdx.x"):
        with T.block(""):
            T.reads(A[0:40], A2[0:8, 0:8])
            T.writes(C[0:40])
            S = T.alloc_buffer((40,), "float32", scope="shared")
            M = T.alloc_buffer((64,), "float32", scope="shared")
            with T.block("S"):
                T.reads(A[0:40])
                T.writes(S[0:40])
                T.block_attr({"auto_copy": 1, "local_stage": 1})
                for i in range(40):
                    S[i] = A[i]
            with T.block("M"):
                T.reads(A2[0:8, 0:8])
                T.writes(M[0:64])
                T.block_attr({"auto_copy": 1, "local_stage": 1, "vector_bytes": 4})
                for i, j in T.grid(8, 8):
                    M[i * 8 + j] = A2[i, j]
            for k in range(40):
                C[k] = S[k] + M[k]
# One element for each iteration where the indices have no other form; nothing past the end is copied.
# CHECK:      S_local = T.alloc_buffer((2, 1), scope="local")
# CHECK-NEXT: for i_fused_1 in T.thread_binding(32, thread="threadIdx.x"):
# CHECK-NEXT:   for i_fused_0_cache in range(2):
# CHECK-NEXT:     for i_fused_2_cache in T.vectorized(1):
# CHECK-NEXT:       if i_fused_0_cache * 32 + i_fused_1 + i_fused_2_cache < 40:
# CHECK-NEXT:         S_local[i_fused_0_cache, i_fused_2_cache] = A[(i_fused_0_cache * 32 + i_fused_1 + i_fused_2_cache) % 40]
# CHECK-NEXT:   for i_fused_0 in range(2):
# CHECK-NEXT:     for i_fused_2 in T.vectorized(1):
# CHECK-NEXT:       if i_fused_0 * 32 + i_fused_1 + i_fused_2 < 40:
# CHECK-NEXT:         S[(i_fused_0 * 32 + i_fused_1 + i_fused_2) % 40] = S_local[i_fused_0, i_fused_2]
# The dimensions of the source otherwise.
# CHECK:      M_local = T.alloc_buffer((2, 1), scope="local")
# CHECK:        M_local[i_j_fused_0_cache * 32 // 8 % 8 // 4, 0] = A2[
# CHECK:        = M_local[i_j_fused_0 * 32 // 8 % 8 // 4, 0]
# VALID: 0 mismatches
