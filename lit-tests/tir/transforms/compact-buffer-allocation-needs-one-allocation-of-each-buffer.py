# Unrolled loops share what is allocated in them.
# RUN: not %relayopt --passes=tir.UnrollLoop,tir.CompactBufferAllocation %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "float32")):
    for i in T.unroll(2):
        with T.block(""):
            T.reads()
            T.writes(A[i])
            B = T.alloc_buffer((16,))
            B[0] = T.float32(0)
            A[i] = B[0]
# CHECK: error: buffer B is allocated twice
