# Extents, bounds and counts are integers wherever they are written.
# RUN: %relayopt --verify-diagnostics %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4,), "float32")):
    with T.launch_thread("threadIdx.x", 1e999):  # expected-error {{an extent must be an integer, but is float32}}
        A[0] = T.float32(1)
    with T.attr(0, "async_wait_inflight_count", 2.5):  # expected-error {{an extent must be an integer, but is float32}}
        A[0] = T.float32(1)
    with T.block("b"):
        v = T.axis.spatial((0, 1.5), 0)  # expected-error {{an extent must be an integer, but is float32}}
    B = T.allocate([T.float32(2)], "float32", "global")  # expected-error {{an extent must be an integer, but is float32}}
    C = T.decl_buffer((4,), elem_offset=T.float32(1))  # expected-error {{an extent must be an integer, but is float32}}
