# Programs in which tir.ThreadSync has not put barriers yet have threads that share memory without them.
# RUN: not %relayopt --run %s 2>&1 | FileCheck %s --check-prefix=ALONE
# RUN: %relayopt --run --lockstep %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(B: T.Buffer((4,), "int32")):
    shared = T.allocate([4], "int32", "shared")
    threadIdx_x = T.launch_thread("threadIdx.x", 4)
    S = T.Buffer((4,), "int32", data=shared, scope="shared")
    S[threadIdx_x] = threadIdx_x + 1
    B[threadIdx_x] = S[3 - threadIdx_x]
# ALONE: error: write of element 2 of S
# ALONE: note: the program has no barriers: tir.ThreadSync puts them in, and --lockstep runs it as if they were there
# CHECK: B: {{.*}}[4, 3, 2, 1]
