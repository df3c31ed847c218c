# A thread runs to the barrier before any runs after it; every block has shared memory of its own.
# RUN: %relayopt --run %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(B: T.Buffer((8,), "int32")):
    blockIdx_x = T.launch_thread("blockIdx.x", 2)
    shared = T.allocate([4], "int32", "shared")
    threadIdx_x = T.launch_thread("threadIdx.x", 4)
    S = T.Buffer((4,), "int32", data=shared, scope="shared")
    S[threadIdx_x] = blockIdx_x * 10 + threadIdx_x
    T.tvm_storage_sync("shared")
    B[blockIdx_x * 4 + threadIdx_x] = S[3 - threadIdx_x]
# CHECK: {{^}}B: [3, 2, 1, 0, 13, 12, 11, 10]{{$}}
