# Loops over threads keep their dimension, so it is taken, also where launches of it move on.
# RUN: not %relayopt '--passes=tir.RemapThreadAxis<threads="threadIdx.x=threadIdx.y">' %s 2>&1 | FileCheck %s --check-prefix=TAKEN
# RUN: not %relayopt '--passes=tir.RemapThreadAxis<threads=["threadIdx.x=threadIdx.y","threadIdx.y=threadIdx.x"]>' %s 2>&1 | FileCheck %s --check-prefix=TAKEN
# RUN: not %relayopt '--passes=tir.RemapThreadAxis<threads=["threadIdx.x=threadIdx.z","threadIdx.y=threadIdx.z"]>' %s 2>&1 | FileCheck %s --check-prefix=TWO
# RUN: %relayopt '--passes=tir.RemapThreadAxis<threads="threadIdx.x=threadIdx.z">' --validate %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "int32")):
    tx = T.launch_thread("threadIdx.x", 4)
    for ty in T.thread_binding(2, thread="threadIdx.y"):
        A[ty * 4 + tx] = tx
# TAKEN: [[@LINE-2]]:{{.*}}error: RemapThreadAxis: threadIdx.x cannot become threadIdx.y, over which the function already has threads [remap-thread-taken]
# TWO: error: RemapThreadAxis: two dimensions become threadIdx.z; write for example threads=threadIdx.x=threadIdx.y [remap-thread-axis]
# CHECK:      tx = T.launch_thread("threadIdx.z", 4)
# CHECK-NEXT: for ty in T.thread_binding(2, thread="threadIdx.y"):
