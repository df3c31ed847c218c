# RUN: not %relayopt --passes=tir.LowerMatchBuffer %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16, 9), "float32")):
    for i in range(16):
        with T.block(""):
            T.reads()
            T.writes(A[i, 0:8])
            B = T.match_buffer(A[i, 0:8], (8,), offset_factor=8)
            B[0] = T.float32(0)
# CHECK: error: match_buffer B: its offset factor cannot be proved equal to that of the region of A
