# A barrier that only some threads reach is an error.
# RUN: not %relayopt --run %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4,), "int32")):
    threadIdx_x = T.launch_thread("threadIdx.x", 4)
    if threadIdx_x < 2:
        T.tvm_storage_sync("shared")
    A[threadIdx_x] = 1
# CHECK: [[#@LINE-2]]:9: error: not all threads of the block reach this barrier [divergent-barrier]
