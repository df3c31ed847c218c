# Without the option, a branch stays below the attribute of a thread; a load in its condition stays, too.
# RUN: %relayopt --passes=tir.HoistIfThenElseBasic --config='tir.HoistIfThenElse={"support_block_scope_hosting": true}' %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "float32"), n: T.int32):
    tx = T.launch_thread("threadIdx.x", 8)
    if n > 1:
        A[tx] = T.float32(2)
# CHECK:      T.launch_thread
# CHECK-NEXT: if 1 < n:
