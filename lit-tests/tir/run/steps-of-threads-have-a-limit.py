# Threads whose code has no loop count as steps, too: a launch of too many ends with an error.
# RUN: not %relayopt --run --max-steps=1000000 %s 2>&1 | FileCheck %s
# CHECK: error: evaluation takes more than 1000000 steps [evaluation-steps]
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "float32")):
    block = T.launch_thread("blockIdx.x", 2147483647)
    thread = T.launch_thread("threadIdx.x", 1024)
    if block < 0:
        A[thread % 8] = T.float32(0)
