# RUN: %relayopt --passes=tir.LowerOpaqueBlock %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "float32")):
    for tx in T.thread_binding(16, thread="threadIdx.x"):
        with T.block(""):
            T.where(tx < 10)
            T.reads(A[tx])
            T.writes(A[tx])
            B = T.alloc_buffer((4,), scope="local")
            B[0] = A[tx]
            A[tx] = B[0] + T.float32(1)
# CHECK:      tx = T.launch_thread("threadIdx.x", 16)
# CHECK-NEXT: B = T.decl_buffer((4,), scope="local")
# CHECK-NEXT: if tx < 10:
# CHECK-NEXT:   B[0] = A[tx]
# CHECK-NEXT:   A[tx] = B[0] + T.float32(1)
