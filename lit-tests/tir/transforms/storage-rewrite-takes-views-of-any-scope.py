# A buffer whose declaration gives another scope than its memory has is a view of the memory all the same.
# RUN: %relayopt --passes=tir.UnrollLoop,tir.StorageRewrite %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((64,), "float16"), B: T.Buffer((64,), "float16")):
    threadIdx_x = T.launch_thread("threadIdx.x", 16)
    memory = T.allocate([1024], "uint8", "shared.dyn")
    A_sh = T.decl_buffer((64,), "float16", data=memory, scope="uint1")
    B_sh = T.decl_buffer((64,), "float16", data=memory, scope="shared.dyn")
    for i in range(4):
        A_sh[threadIdx_x * 4 + i] = A[threadIdx_x * 4 + i]
    for i in range(4):
        B[threadIdx_x * 4 + i] = B_sh[threadIdx_x * 4 + i]
# CHECK: B_sh = T.allocate([512], "float16", "shared.dyn")
# CHECK: B_sh_1 = T.decl_buffer((64,), "float16", data=B_sh, scope="shared.dyn")
# CHECK: B_sh_1[threadIdx_x * 4 + i] = A[threadIdx_x * 4 + i]
