# Threads that write one value to one place disturb nobody.
# RUN: %relayopt --run %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((2,), "int32"), B: T.Buffer((4,), "int32")):
    threadIdx_x = T.launch_thread("threadIdx.x", 4)
    A[0] = 7
    B[threadIdx_x] = A[0]
# CHECK: {{^}}A: [7, {{[0-7]}}]{{$}}
# CHECK: {{^}}B: [7, 7, 7, 7]{{$}}
