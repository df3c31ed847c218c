# RUN: %relayopt --passes='tir.VerifyGPUCode<max_threads_per_block=64;max_shared_memory_per_block=256>' %s | FileCheck %s
# RUN: not %relayopt --passes='tir.VerifyGPUCode<max_threads_per_block=63>' %s 2>&1 | FileCheck --check-prefix=THREADS %s
# RUN: not %relayopt --passes='tir.VerifyGPUCode<max_shared_memory_per_block=255>' %s 2>&1 | FileCheck --check-prefix=SHARED %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((64,), "float32")):
    threadIdx_x = T.launch_thread("threadIdx.x", 16)
    threadIdx_y = T.launch_thread("threadIdx.y", 4)
    S = T.decl_buffer((64,), scope="shared")
    S[threadIdx_x * 4 + threadIdx_y] = A[threadIdx_x]
    A[threadIdx_x] = S[threadIdx_x]
# CHECK: T.launch_thread
# THREADS: error: the number of threads of a block is 64, and the limit is 63
# SHARED: error: the number of bytes of shared memory is 256, and the limit is 255
