# RUN: %relayopt --passes=tir.CompactBufferAllocation %s | FileCheck %s
# RUN: %relayopt --passes=tir.CompactBufferAllocation --validate %s 2>&1 >/dev/null | FileCheck --check-prefix=SAME %s
from tvm.script import tir as T

@T.prim_func
def main(B: T.Buffer((16,), "int32")):
    with T.block("root"):
        T.reads()
        T.writes()
        A = T.alloc_buffer((64,), "int32")
        for i in range(8):
            with T.block("a"):
                T.reads()
                T.writes(A[i // -2 + 20])
                A[i // -2 + 20] = i
        for i in range(8):
            with T.block("b"):
                T.reads(A[i // -2 + 20])
                T.writes(B[i])
                B[i] = A[i // -2 + 20]
# CHECK: A = T.alloc_buffer((5,), "int32")
# CHECK: A[i // -2 + 20 - 16] = i
# SAME: 1 ok (1 bit-exact), 0 mismatches
