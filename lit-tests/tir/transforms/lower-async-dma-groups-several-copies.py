# RUN: %relayopt --passes=tir.LowerAsyncDMA --config=tir.experimental_dma_bypass_cache=true %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((128,), "int8"), B: T.Buffer((128,), "int8")):
    with T.attr(0, "async_commit_queue_scope", 3):
        for i in range(64):
            B[i] = A[i]
        for i in range(64):
            B[i + 64] = A[i + 64]
# CHECK:      T.dma_start_group(3)
# CHECK-NEXT: with T.attr(0, "async_commit_queue_scope", 3):
# CHECK-NEXT:     T.dma_copy(3, T.address_of(B[0]), T.address_of(A[0]), 64, T.bool(True))
# CHECK-NEXT:     T.dma_copy(3, T.address_of(B[64]), T.address_of(A[64]), 64, T.bool(True))
# CHECK-NEXT: T.dma_end_group(3)
