# A dimension may change places with another one, but not become it.
# RUN: not %relayopt '--passes=tir.RemapThreadAxis<threads="threadIdx.x=threadIdx.y">' %s 2>&1 | FileCheck %s --check-prefix=TAKEN
# RUN: %relayopt '--passes=tir.RemapThreadAxis<threads=["threadIdx.x=threadIdx.y","threadIdx.y=threadIdx.x"]>' %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "int32")):
    ty = T.launch_thread("threadIdx.y", 2)
    tx = T.launch_thread("threadIdx.x", 4)
    A[ty * 4 + tx] = tx
# TAKEN: [[@LINE-3]]:{{.*}}error: RemapThreadAxis: threadIdx.x cannot become threadIdx.y, over which the function already has threads [remap-thread-taken]
# CHECK: T.launch_thread("threadIdx.x", 2)
# CHECK: T.launch_thread("threadIdx.y", 4)
