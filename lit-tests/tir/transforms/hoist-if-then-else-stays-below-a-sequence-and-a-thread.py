# A copy of the other statements would be needed; and threads are crossed only on demand.
# RUN: %relayopt --passes=tir.HoistIfThenElse %s | FileCheck %s
# RUN: %relayopt '--passes=tir.HoistIfThenElse<support_block_scope_hosting=true>' %s | FileCheck --check-prefix=CROSS %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "float32"), n: T.int32):
    for i in range(8):
        A[i] = T.float32(1)
        if n != 0:
            A[i] = T.float32(0)
    tx = T.launch_thread("threadIdx.x", 8)
    if n > 1:
        A[tx] = T.float32(2)
# CHECK:      A[i] = T.float32(1)
# CHECK-NEXT: if n != 0:
# CHECK:      T.launch_thread
# CHECK-NEXT: if 1 < n:
# CROSS:      if 1 < n:
# CROSS-NEXT:     tx = T.launch_thread
