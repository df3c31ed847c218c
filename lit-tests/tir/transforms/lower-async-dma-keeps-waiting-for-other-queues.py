# RUN: %relayopt --passes=tir.LowerAsyncDMA %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(B: T.Buffer((128,), "float32")):
    with T.attr(0, "async_wait_queue_scope", 0):
        with T.attr(0, "async_wait_inflight_count", 1):
            B[0] = B[0] + T.float32(1)
# CHECK:      T.attr(0, "async_wait_queue_scope", 0)
# CHECK-NEXT: T.attr(0, "async_wait_inflight_count", 1)
