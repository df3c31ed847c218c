# Groups of eight columns of shared memory are permuted by their row, where blocks ask for it.
# RUN: %relayopt --passes=tir.InjectPermutedLayout %s | FileCheck %s
# RUN: %relayopt --passes=tir.InjectPermutedLayout --validate=each --disable-output %s 2>&1 | FileCheck %s --check-prefix=VALID
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16, 64), "float16"), C: T.Buffer((16, 64), "float16")):
    with T.block(""):
        T.reads(A[0:16, 0:64])
        T.writes(C[0:16, 0:64])
        S = T.alloc_buffer((16, 64), "float16", scope="shared")
        M = T.alloc_buffer((16, 32), "float16", scope="shared.dyn")
        with T.block("fill"):
            T.reads(A[0:16, 0:64])
            T.writes(S[0:16, 0:64], M[0:16, 0:32])
            T.block_attr({"permuted_layout": 1, "kept": 2})
            for i, j in T.grid(16, 8):
                for k in T.vectorized(8):
                    S[i, j * 8 + k] = A[i, j * 8 + k]
            for i, j in T.grid(16, 32):
                M[i, j] = A[i, j]
        with T.block("use"):
            T.reads(S[0:16, 0:64], M[0:16, 0:32])
            T.writes(C[0:16, 0:64])
            T.block_attr({"permuted_layout": "s2l_A"})
            for i, j in T.grid(16, 64):
                C[i, j] = S[i, j] + M[i, j % 32]
# CHECK:      with T.block("fill"):
# CHECK:        T.block_attr({"kept": 2})
# CHECK:        S[i, T.bitwise_xor(j, i % 8) * 8 + k] = A[i, j * 8 + k]
# CHECK:        M[i, T.bitwise_xor(j // 8, i % 8 // 2) * 8 + j % 8] = A[i, j]
# CHECK:      with T.block("use"):
# CHECK-NOT:    block_attr
# CHECK:        C[i, j] = S[i, T.bitwise_xor(j // 8, i % 8) * 8 + j % 8] + M[i, T.bitwise_xor(j % 32 // 8, i % 8 // 2) * 8 + j % 8]
# VALID: validate: 1 pass: 1 ok
