# The loop comes back to the write while others may still read.
# RUN: %relayopt --passes='tir.ThreadSync<storage_scope=shared>' --validate %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(B: T.Buffer((16,), "float32"), C: T.Buffer((16,), "float32")):
    with T.launch_thread("threadIdx.x", 16) as tx:
        A = T.decl_buffer((16,), scope="shared")
        for i in range(4):
            A[tx] = B[tx]
            C[tx] = A[15 - tx]
# CHECK:      for i in range(4):
# CHECK-NEXT:     T.tvm_storage_sync("shared")
# CHECK-NEXT:     A[tx] = B[tx]
# CHECK-NEXT:     T.tvm_storage_sync("shared")
# CHECK-NEXT:     C[tx] = A[15 - tx]
