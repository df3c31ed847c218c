# B begins where A ends: a thread writes its element of B while others still read A.
# RUN: %relayopt --passes=tir.MergeDynamicSharedMemoryAllocations --validate %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(E: T.Buffer((16,), "float32")):
    with T.launch_thread("threadIdx.x", 16) as tx:
        A = T.decl_buffer((16,), scope="shared.dyn")
        B = T.decl_buffer((16,), scope="shared.dyn")
        A[tx] = E[tx]
        T.tvm_storage_sync("shared.dyn")
        B[tx] = A[(tx + 1) % 16]
        T.tvm_storage_sync("shared.dyn")
        E[tx] = B[(tx + 1) % 16]
# CHECK:      buf_dyn_shmem = T.allocate([128], "uint8", "shared.dyn")
# CHECK-NEXT: A = T.decl_buffer((16,), data=buf_dyn_shmem, scope="shared.dyn")
# CHECK-NEXT: B = T.decl_buffer((32,), data=buf_dyn_shmem, scope="shared.dyn")
# CHECK:      B[tx + 16] = A[(tx + 1) % 16]
