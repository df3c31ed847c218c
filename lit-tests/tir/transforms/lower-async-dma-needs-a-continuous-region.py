# RUN: not %relayopt --passes=tir.LowerAsyncDMA %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((128,), "float32"), B: T.Buffer((128,), "float32")):
    with T.attr(0, "async_commit_queue_scope", 0):
        for i in range(64):
            B[i] = A[i * 2]
# CHECK: :7:9: error: LowerAsyncDMA: this loop copies no continuous region [async-dma-copy]
