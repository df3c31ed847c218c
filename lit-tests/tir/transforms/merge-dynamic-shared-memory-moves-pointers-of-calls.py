# A pointer that a call gets is that of its first element in the merged memory.
# RUN: %relayopt --passes=tir.MergeDynamicSharedMemoryAllocations --validate %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((128,), "float16"), B: T.Buffer((128,), "float16")):
    T.func_attr({"target": T.target("cuda"), "tir.noalias": T.bool(True)})
    bx = T.launch_thread("blockIdx.x", 1)
    tx = T.launch_thread("threadIdx.x", 16)
    W = T.allocate([64], "float32", "shared.dyn")
    W_1 = T.Buffer((64,), "float32", data=W, scope="shared.dyn")
    X = T.allocate([128], "float16", "shared.dyn")
    X_1 = T.Buffer((128,), "float16", data=X, scope="shared.dyn")
    for i in range(4):
        W_1[tx * 4 + i] = T.float32(3)
    T.ptx_cp_async("float16", X, tx * 8, A.data, tx * 8, 16)
    T.ptx_commit_group()
    T.ptx_wait_group(0)
    T.tvm_storage_sync("shared.dyn")
    T.evaluate(T.tvm_access_ptr(T.type_annotation("float16"), X, 0, 128, 1))
    for i in range(8):
        B[tx * 8 + i] = X_1[127 - tx * 8 - i] + T.Cast("float16", W_1[(tx * 4 + i) % 64])
# CHECK:      [[X:buf_dyn_shmem_[0-9]+]] = T.Buffer((129,), "float16", data=buf_dyn_shmem, scope="shared.dyn")
# CHECK-NEXT: T.ptx_cp_async("float16", T.address_of([[X]][128]), tx * 8, A.data, tx * 8, 16)
# CHECK:      T.tvm_access_ptr(T.type_annotation("float16"), buf_dyn_shmem, 128, 128, 1)
