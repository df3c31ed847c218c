# RUN: not %relayopt --passes='tir.RemapThreadAxis<threads=threadIdx.x>' %s 2>&1 | FileCheck %s
# RUN: not %relayopt --passes='tir.RemapThreadAxis<threads=threadIdx.x=thread>' %s 2>&1 | FileCheck %s --check-prefix=TAG
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((32,), "float32")):
    A[0] = T.float32(1)
# CHECK: error: RemapThreadAxis: 'threadIdx.x' does not name two dimensions; write for example threads=threadIdx.x=threadIdx.y [remap-thread-axis]
# TAG:   error: RemapThreadAxis: 'thread' is not a dimension
