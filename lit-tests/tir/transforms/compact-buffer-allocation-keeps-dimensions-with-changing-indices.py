# The index is loaded from what the loop stores: it is not one position.
# RUN: %relayopt --passes=tir.CompactBufferAllocation %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "float32")):
    with T.block(""):
        T.reads(A[0:16])
        T.writes(A[0:16])
        B = T.alloc_buffer((16,))
        j = T.alloc_buffer((4,), "int32")
        j[0] = 0
        while j[0] < 16:
            B[j[0]] = A[j[0]]
            A[j[0]] = B[j[0]] + T.float32(1)
            j[0] = j[0] + 1
# CHECK: B = T.alloc_buffer((16,))
# CHECK: j = T.alloc_buffer((1,), "int32")
# CHECK: B[j[0]] = A[j[0]]
