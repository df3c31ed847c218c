# Shared memory is seen by all threads of a block, local memory by one.
# RUN: %relayopt --passes=tir.CompactBufferAllocation %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((64,), "float32")):
    for bx in T.thread_binding(4, thread="blockIdx.x"):
        for tx in T.thread_binding(16, thread="threadIdx.x"):
            with T.block(""):
                T.reads(A[bx * 16 + tx])
                T.writes(A[bx * 16 + tx])
                S = T.alloc_buffer((64,), scope="shared")
                L = T.alloc_buffer((64,), scope="local")
                S[bx * 16 + tx] = A[bx * 16 + tx]
                L[bx * 16 + tx] = S[bx * 16 + tx]
                A[bx * 16 + tx] = L[bx * 16 + tx]
# CHECK: S = T.alloc_buffer((16,), scope="shared")
# CHECK: L = T.alloc_buffer((1,), scope="local")
# CHECK: S[bx * 16 + tx - bx * 16] = A[bx * 16 + tx]
