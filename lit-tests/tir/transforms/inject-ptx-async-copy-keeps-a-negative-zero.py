# The hardware fills what a guard keeps from being copied with zeros; a negative zero is another value.
# RUN: %relayopt --passes=tir.InjectPTXAsyncCopy %s | FileCheck %s
# RUN: sed 's/T.float32(-0.0)/T.float32(0)/' %s | %relayopt --passes=tir.InjectPTXAsyncCopy - | FileCheck --check-prefix=ZERO %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    tx = T.launch_thread("threadIdx.x", 64)
    S = T.decl_buffer((64,), scope="shared")
    with T.attr(0, "async_scope", 1):
        S[tx] = T.if_then_else(tx < 32, A[tx], T.float32(-0.0))
    B[tx] = S[tx]
# CHECK-NOT: T.ptx_cp_async
# ZERO:      T.ptx_cp_async("float32", S.data, tx, A.data, tx, 4, tx < 32)
