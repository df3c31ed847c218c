# Only parallel loops become serial: vectorized, unrolled and thread loops are left to other passes.
# RUN: %relayopt %s -o %t
# RUN: %relayopt --passes=tir.ConvertForLoopsToSerial %s | cmp - %t
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4, 4, 4), "float32")):
    for i in T.thread_binding(4, thread="threadIdx.x"):
        for j in T.unroll(4):
            for k in T.vectorized(4):
                A[i, j, k] = T.float32(1)
