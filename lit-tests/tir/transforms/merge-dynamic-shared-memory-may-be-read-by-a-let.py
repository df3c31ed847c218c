# A let directly in the kernel reads dynamic shared memory: that counts as an access by a statement, and memory that it
# reads last is free for what is used only in its body.
# RUN: %relayopt --passes=tir.MergeDynamicSharedMemoryAllocations --validate %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((32,), "float32"), B: T.Buffer((32,), "float32")):
    tx = T.launch_thread("threadIdx.x", 32)
    a = T.allocate([32], "float32", "shared.dyn")
    a_1 = T.Buffer((32,), data=a, scope="shared.dyn")
    a_1[tx] = A[tx]
    v: T.float32 = a_1[tx]
    b = T.allocate([32], "float32", "shared.dyn")
    b_1 = T.Buffer((32,), data=b, scope="shared.dyn")
    b_1[tx] = v * T.float32(2)
    w: T.float32 = b_1[tx]
    B[tx] = w + b_1[tx]
# CHECK: buf_dyn_shmem = T.allocate([128], "uint8", "shared.dyn")
