# A copy from shared memory that reads columns follows the target instead, and rows are padded against bank conflicts.
# RUN: %relayopt --passes=tir.LowerAutoCopy %s | FileCheck %s
# RUN: %relayopt --passes=tir.LowerAutoCopy --validate=each --disable-output %s 2>&1 | FileCheck %s --check-prefix=VALID
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((32, 32), "float32"), C: T.Buffer((32, 32), "float32")):
    for tx in T.thread_binding(32, thread="threadIdx.x"):
        with T.block(""):
            T.reads(A[0:32, 0:32])
            T.writes(C[0:32, 0:32])
            S = T.alloc_buffer((32, 32), "float32", scope="shared")
            for i in range(32):
                S[i, tx] = A[i, tx]
            with T.block("C"):
                T.reads(S[0:32, 0:32])
                T.writes(C[0:32, 0:32])
                T.block_attr({"auto_copy": 1})
                for i, j in T.grid(32, 32):
                    C[j, i] = S[i, j]
# CHECK: S = T.alloc_buffer((32, 32), strides=(33, 1), scope="shared")
# CHECK: for i_inverse_j_inverse_fused_0 in range(32):
# CHECK:   for i_inverse_j_inverse_fused_1 in T.thread_binding(32, thread="threadIdx.x"):
# CHECK:     for i_inverse_j_inverse_fused_2 in T.vectorized(1):
# CHECK:       C[(i_inverse_j_inverse_fused_0 * 32 + i_inverse_j_inverse_fused_1 + i_inverse_j_inverse_fused_2) // 32 % 32, (i_inverse_j_inverse_fused_0 * 32 + i_inverse_j_inverse_fused_1 + i_inverse_j_inverse_fused_2) % 32] = S[(i_inverse_j_inverse_fused_0 * 32 + i_inverse_j_inverse_fused_1 + i_inverse_j_inverse_fused_2) % 32, (i_inverse_j_inverse_fused_0 * 32 + i_inverse_j_inverse_fused_1 + i_inverse_j_inverse_fused_2) // 32 % 32]
# VALID: validate: 1 pass: 1 ok
