# RUN: %relayopt --passes='tir.RemapThreadAxis<threads=threadIdx.x=threadIdx.y>' --validate %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((32,), "float32")):
    with T.launch_thread("blockIdx.x", 4) as bx:
        with T.launch_thread("threadIdx.x", 8) as tx:
            A[bx * 8 + tx] = T.float32(1)
# CHECK:      bx = T.launch_thread("blockIdx.x", 4)
# CHECK-NEXT: tx = T.launch_thread("threadIdx.y", 8)
# CHECK-NEXT: A[bx * 8 + tx] = T.float32(1)
