# Loops inside of the allocation run through their range, the one outside is still; strides follow an annotation.
# RUN: %relayopt --passes=tir.CompactBufferAllocation %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16, 16), "float32"), C: T.Buffer((16, 16), "float32")):
    for i in range(16):
        with T.block(""):
            T.reads(A[i, 0:16])
            T.writes(C[i, 0:16])
            B = T.alloc_buffer((16, 16))
            with T.block(""):
                T.reads(A[i, 4:8])
                T.writes(B[i, 4:8])
                T.block_attr({"buffer_dim_align": [[0, 0, 8, 7]]})
                for j in range(4, 8):
                    B[i, j] = A[i, j]
            for j in range(6, 10):
                C[i, j] = B[i, j]
# CHECK:      B = T.alloc_buffer((1, 6), strides=(7, 1))
# CHECK:      T.writes(B[i - i, 0:4])
# CHECK:      B[i - i, j - 4] = A[i, j]
# CHECK:      C[i, j] = B[i - i, j - 4]
