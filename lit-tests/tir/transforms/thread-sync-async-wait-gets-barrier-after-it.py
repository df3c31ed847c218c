# RUN: %relayopt --passes=tir.ThreadSync %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(C: T.Buffer((16,), "float32")):
    with T.launch_thread("threadIdx.x", 16) as tx:
        with T.attr(0, "async_wait_queue_scope", 0):
            with T.attr(0, "async_wait_inflight_count", 1):
                C[tx] = T.float32(0)
# CHECK:      T.attr(0, "async_wait_inflight_count", 1)
# CHECK-NEXT: T.tvm_storage_sync("shared")
# CHECK-NEXT: C[tx] = T.float32(0)
