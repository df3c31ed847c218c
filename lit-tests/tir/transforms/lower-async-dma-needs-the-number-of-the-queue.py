# RUN: not %relayopt --passes=tir.LowerAsyncDMA %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32"), q: T.int32):
    with T.attr(0, "async_commit_queue_scope", q):
        for i in range(64):
            B[i] = A[i]
# CHECK: :6:{{[0-9]+}}: error: LowerAsyncDMA: the number of the queue is not a literal [async-dma-queue]
