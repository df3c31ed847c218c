# RUN: not %relayopt --passes=tir.ThreadSync %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(B: T.Buffer((16,), "float32"), C: T.Buffer((16,), "float32")):
    with T.launch_thread("threadIdx.x", 16) as tx:
        A = T.decl_buffer((16,), scope="shared")
        if tx < 8:
            A[tx] = B[tx]
            C[tx] = A[7 - tx]
# CHECK: :10:13: error: ThreadSync: Cannot insert syncs inside condition{{.*}} [sync-condition]
