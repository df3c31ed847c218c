# A and B live together; C takes the place of A. The second kernel has memory of its own.
# RUN: %relayopt --passes=tir.MergeDynamicSharedMemoryAllocations %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(E: T.Buffer((16,), "float32")):
    with T.launch_thread("threadIdx.x", 16) as tx:
        A = T.decl_buffer((16,), scope="shared.dyn")
        B = T.decl_buffer((16,), scope="shared.dyn")
        C = T.decl_buffer((16,), scope="shared.dyn")
        A[tx] = E[tx]
        B[tx] = A[tx]
        E[tx] = A[tx] + B[tx]
        C[tx] = E[tx]
        E[tx] = C[tx]
    with T.launch_thread("threadIdx.x", 8) as ty:
        D = T.decl_buffer((8,), scope="shared.dyn")
        F = T.decl_buffer((8,), "int8", scope="shared.dyn")
        D[ty] = E[ty]
        F[ty] = T.int8(1)
        E[ty] = D[ty] + T.Cast("float32", F[ty])
# CHECK:     buf_dyn_shmem = T.allocate([128], "uint8", "shared.dyn")
# CHECK:     buf_dyn_shmem{{.*}} = T.allocate([40], "uint8", "shared.dyn")
