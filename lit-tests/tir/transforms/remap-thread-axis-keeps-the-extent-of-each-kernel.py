# Two kernels over one dimension with different extents keep them: each launch has its own variable.
# RUN: %relayopt '--passes=tir.RemapThreadAxis<threads="threadIdx.x=threadIdx.y">,tir.UnifyThreadBinding' --validate %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "int32"), B: T.Buffer((4,), "int32")):
    with T.launch_thread("threadIdx.x", 4) as t:
        B[t] = t
    with T.launch_thread("threadIdx.x", 8) as t:
        A[t] = t
# CHECK:      for threadIdx_y in T.thread_binding(4, thread="threadIdx.y"):
# CHECK-NEXT:     B[threadIdx_y] = threadIdx_y
# CHECK-NEXT: for threadIdx_y in T.thread_binding(8, thread="threadIdx.y"):
# CHECK-NEXT:     A[threadIdx_y] = threadIdx_y
