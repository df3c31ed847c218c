# RUN: not %relayopt --passes=tir.InjectPTXAsyncCopy %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((128,), "float32")):
    tx = T.launch_thread("threadIdx.x", 32)
    S = T.decl_buffer((128,), scope="shared")
    with T.attr(0, "async_scope", 1):
        with T.attr(0, "async_scope", 1):
            S[tx] = A[tx]
# CHECK: :9:9: error: Nested async scopes not supported
