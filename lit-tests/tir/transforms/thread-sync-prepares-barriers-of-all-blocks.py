# RUN: %relayopt --passes='tir.ThreadSync<storage_scope=global>' %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "float32"), C: T.Buffer((16,), "float32")):
    bx = T.launch_thread("blockIdx.x", 2)
    tx = T.launch_thread("threadIdx.x", 8)
    A[bx * 8 + tx] = T.float32(0)
    C[tx] = A[15 - tx]
# CHECK:      T.call_packed("__tvm_prepare_global_barrier")
# CHECK-NEXT: bx = T.launch_thread("blockIdx.x", 2)
# CHECK-NEXT: T.tvm_global_barrier_kinit()
# CHECK-NEXT: T.attr(A.data, "volatile_scope", 1)
# CHECK-NEXT: tx = T.launch_thread("threadIdx.x", 8)
# CHECK-NEXT: A[bx * 8 + tx] = T.float32(0)
# CHECK-NEXT: T.tvm_storage_sync("global", tx == 0, 2)
# CHECK-NEXT: C[tx] = A[15 - tx]
