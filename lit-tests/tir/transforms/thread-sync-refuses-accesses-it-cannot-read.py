# RUN: %relayopt --passes=tir.ThreadSync --verify-diagnostics --split-input-file --disable-output %s
from tvm.script import tir as T

@T.prim_func
def main(n: T.int32):
    with T.launch_thread("threadIdx.x", 16) as tx:
        b = T.allocate([16], "float32", "shared")
        T.call_extern("int32", "f", T.tvm_access_ptr(T.type_annotation("float32"), b, 0, 8, n))  # expected-error {{T.tvm_access_ptr needs a type, a variable, offset, extent and a literal mask}}

// -----

from tvm.script import tir as T

@T.prim_func
def main(C: T.Buffer((16,), "float32")):
    with T.launch_thread("threadIdx.x", 16) as tx:
        with T.attr(0, "async_wait_queue_scope", 0):  # expected-error {{an attribute async_wait_queue_scope holds one async_wait_inflight_count}}
            C[tx] = T.float32(0)
