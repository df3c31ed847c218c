# RUN: not %relayopt --passes=tir.CompactBufferAllocation %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "float32")):
    with T.block("b"):
        T.reads()
        T.writes(A[0])
        B = T.alloc_buffer((16,))
        A[0] = T.float32(0)
# CHECK: :6:5: error: buffer B is allocated but not accessed
