# What begins somewhere in memory is viewed by what says so.
# RUN: not %relayopt --passes=tir.LowerMatchBuffer %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(a: T.handle, n: T.int32):
    A = T.match_buffer(a, (16, 8), elem_offset=n)
    for i in range(16):
        with T.block(""):
            T.reads()
            T.writes(A[i, 0:8])
            B = T.match_buffer(A[i, 0:8], (8,), elem_offset=0)
            B[0] = T.float32(0)
# CHECK: :9:9: error: the element offset of match_buffer B differs from that of A [match-buffer-mismatch]
