# The pieces are cut at m // 8 - 1, which may be before the loop: there is no iteration -1.
# RUN: %relayopt --passes=tir.LoopPartition %s | FileCheck %s
# RUN: %relayopt --passes=tir.LoopPartition --validate=each --unknown-extent=3 --disable-output %s 2>&1 | FileCheck %s --check-prefix=VALID
from tvm.script import tir as T

@T.prim_func
def main(a: T.handle, b: T.handle):
    m = T.int32(is_size_var=True)
    A = T.match_buffer(a, (m,), "float32")
    B = T.match_buffer(b, (m,), "float32")
    for i_outer in range((m + 7) // 8):
        for i in range(8):
            if T.likely(i + i_outer * 8 < m):
                B[i + i_outer * 8] = A[i + i_outer * 8]
        for i in range(8, 16):
            if T.likely(i + i_outer * 8 < m):
                B[i + i_outer * 8] = A[i + i_outer * 8] + T.float32(1)
# CHECK: for i_outer in range(T.max({{.*}}m // 8 - 1
# VALID: validate: {{.*}}: 1 ok
