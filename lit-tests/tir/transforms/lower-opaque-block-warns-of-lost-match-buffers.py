# RUN: %relayopt --passes=tir.LowerOpaqueBlock %s 2>&1 | FileCheck %s
# RUN: %relayopt --passes='tir.LowerMatchBuffer,tir.LowerOpaqueBlock' %s 2>&1 | FileCheck --check-prefix=LOWERED %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16, 8), "float32")):
    for i in range(16):
        with T.block(""):
            T.reads()
            T.writes(A[i, 0:8])
            B = T.match_buffer(A[i, 0:8], (8,), offset_factor=1)
            B[0] = T.float32(0)
# CHECK: warning: tir.LowerOpaqueBlock: the match_buffers of this block are lost{{.*}} [lower-opaque-block-match]
# LOWERED-NOT: warning
# LOWERED: A[i, 0] = T.float32(0)
