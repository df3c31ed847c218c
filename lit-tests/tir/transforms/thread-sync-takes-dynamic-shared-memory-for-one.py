# The second buffer may lie where the first one was.
# RUN: %relayopt --passes='tir.ThreadSync<storage_scope="shared.dyn">' %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(B: T.Buffer((16,), "float32"), C: T.Buffer((16,), "float32")):
    with T.launch_thread("threadIdx.x", 16) as tx:
        A = T.decl_buffer((16,), scope="shared.dyn")
        D = T.decl_buffer((8,), scope="shared.dyn")
        A[tx] = B[tx]
        C[tx] = A[tx]
        D[tx // 2] = B[tx]
# CHECK:      C[tx] = A[tx]
# CHECK-NEXT: T.tvm_storage_sync("shared.dyn")
# CHECK-NEXT: D[tx // 2] = B[tx]
