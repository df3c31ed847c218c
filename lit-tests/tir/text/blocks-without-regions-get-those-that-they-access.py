# T.reads and T.writes are what loads and stores of the buffers around the block say, over the loops in it.
# RUN: %relayopt %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16, 8), "float32"), B: T.Buffer((16,), "float32")):
    for i in range(16):
        with T.block("sum"):
            vi = T.axis.spatial(16, i)
            own = T.alloc_buffer((1,))
            with T.init():
                B[vi] = T.float32(0)
            for k in range(4):
                own[0] = A[vi, k + 2]
                B[vi] = B[vi] + own[0]
    for i in range(16):
        with T.block("given"):
            vi = T.axis.spatial(16, i)
            T.reads()
            B[vi] = B[vi] + A[vi, 0]
# CHECK:      with T.block("sum"):
# CHECK-NEXT:     vi = T.axis.spatial(16, i)
# CHECK-NEXT:     T.reads(A[vi, 2:6])
# CHECK-NEXT:     T.writes(B[vi])
# CHECK:      with T.block("given"):
# CHECK-NEXT:     vi = T.axis.spatial(16, i)
# CHECK-NEXT:     T.reads()
# CHECK-NEXT:     T.writes(B[vi])
