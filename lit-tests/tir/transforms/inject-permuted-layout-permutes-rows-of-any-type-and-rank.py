# Three dimensions, rows that follow from others, vectors of sixteen elements and other types than float16: what is stored is read.
# RUN: %relayopt --passes=tir.InjectPermutedLayout %s | FileCheck %s
# RUN: %relayopt --passes=tir.InjectPermutedLayout --validate=each --validate-edge --disable-output %s 2>&1 | FileCheck %s --check-prefix=VALID
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((3, 17, 192), "int8"), C: T.Buffer((3, 17, 192), "int8")):
    with T.block(""):
        T.reads(A[0:3, 0:17, 0:192])
        T.writes(C[0:3, 0:17, 0:192])
        S = T.alloc_buffer((3, 17, 192), "int8", scope="shared.dyn")
        with T.block("fill"):
            T.reads(A[0:3, 0:17, 0:192])
            T.writes(S[0:3, 0:17, 0:192])
            T.block_attr({"permuted_layout": "g2s_A"})
            for b, i, j in T.grid(3, 17, 12):
                for v in T.vectorized(16):
                    S[b, i, j * 16 + v] = A[b, i, j * 16 + v]
        with T.block("use"):
            T.reads(S[0:3, 0:17, 0:192])
            T.writes(C[0:3, 0:17, 0:192])
            T.block_attr({"permuted_layout": True})
            for b, i, j in T.grid(3, 17, 192):
                C[b, i, j] = S[b, (i + 4) % 17, (j * 5 + 1) % 192]
# CHECK: T.bitwise_xor(
# CHECK: T.bitwise_xor(
# VALID: validate: 1 pass: 1 ok
