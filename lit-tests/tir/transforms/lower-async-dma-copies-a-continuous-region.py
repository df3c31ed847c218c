# RUN: %relayopt --passes=tir.LowerAsyncDMA %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((128,), "float32"), B: T.Buffer((128,), "float32")):
    for i in range(2):
        with T.attr(0, "async_commit_queue_scope", 0):
            for j in range(4):
                for k in range(16):
                    B[i * 64 + j * 16 + k] = A[(1 - i) * 64 + j * 16 + k]
        with T.attr(0, "async_wait_queue_scope", 0):
            with T.attr(0, "async_wait_inflight_count", 1):
                B[0] = B[0] + T.float32(1)
# CHECK:      with T.attr(0, "async_commit_queue_scope", 0):
# CHECK-NEXT:     T.dma_copy(0, T.address_of(B[i * 64]), T.address_of(A[{{.*}}]), 256, T.bool(False))
# CHECK-NEXT: T.dma_wait(0, 1)
# CHECK-NEXT: B[0] = B[0] + T.float32(1)
