# Reading what another thread writes needs a barrier in between.
# RUN: not %relayopt --run %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(B: T.Buffer((4,), "int32")):
    shared = T.allocate([4], "int32", "shared")
    threadIdx_x = T.launch_thread("threadIdx.x", 4)
    S = T.Buffer((4,), "int32", data=shared, scope="shared")
    S[threadIdx_x] = threadIdx_x + 1
    B[threadIdx_x] = S[3 - threadIdx_x]
# CHECK: [[#@LINE-2]]:5: error: write of element 2 of S, which another thread or iteration uses without a barrier in between [data-race]
# CHECK: note: where threadIdx_x = 2
