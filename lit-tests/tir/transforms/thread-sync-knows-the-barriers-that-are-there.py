# RUN: %relayopt --passes=tir.ThreadSync %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(B: T.Buffer((16,), "float32"), C: T.Buffer((16,), "float32")):
    with T.launch_thread("threadIdx.x", 16) as tx:
        A = T.decl_buffer((16,), scope="shared")
        A[tx] = B[tx]
        T.tvm_storage_sync("shared")
        C[tx] = A[15 - tx]
# CHECK:      A[tx] = B[tx]
# CHECK-NEXT: T.tvm_storage_sync("shared")
# CHECK-NEXT: C[tx] = A[15 - tx]
