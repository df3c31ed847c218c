# A variable takes the extent of the region; anything else is proved equal.
# RUN: not %relayopt %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16, 16), "float32"), n: T.int32, k: T.int32):
    with T.block("fits"):
        T.reads(A[0:16, 0:16])
        T.writes()
        m = T.int32()
        B = T.match_buffer(A[k, 0:n * 2], (m,))
        C = T.match_buffer(A[k, 0:n * 2], (n + n,))
        T.evaluate(B[0] + C[0])
    with T.block("differs"):
        T.reads(A[0:16, 0:16])
        T.writes()
        B = T.match_buffer(A[k, 0:n], (n + 1,))
        # CHECK: :[[# @LINE - 1]]:{{.*}}error: a buffer cannot be matched with this region: its extents differ
        C = T.match_buffer(A[0:n, 0:4], (4,))
        # CHECK: :[[# @LINE - 1]]:{{.*}}error: a buffer cannot be matched with this region: a leading extent is not 1
        T.evaluate(B[0] + C[0])
# CHECK-NOT: error
