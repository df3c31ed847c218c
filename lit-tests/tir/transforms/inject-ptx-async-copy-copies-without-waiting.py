# The guard is passed along where the rest is 0; two bytes are too few.
# RUN: %relayopt --passes=tir.InjectPTXAsyncCopy %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((128,), "float32"), H: T.Buffer((128,), "float16"), n: T.int32):
    tx = T.launch_thread("threadIdx.x", 32)
    S = T.decl_buffer((128,), scope="shared")
    Z = T.decl_buffer((128,), "float16", scope="shared")
    with T.attr(0, "async_scope", 1):
        S[tx * 4:tx * 4 + 4] = A[tx * 4:tx * 4 + 4]
        S[tx] = T.if_then_else(tx < n, A[tx], T.float32(0))
        S[tx] = T.if_then_else(tx < n, A[tx], T.float32(1))
        Z[tx] = H[tx]
    S[tx] = A[tx]
# CHECK-NOT:  async_scope
# CHECK:      T.ptx_cp_async("float32", S.data, tx * 4, A.data, tx * 4, 16)
# CHECK-NEXT: T.ptx_cp_async("float32", S.data, tx, A.data, tx, 4, tx < n)
# CHECK-NEXT: S[tx] = T.if_then_else(tx < n, A[tx], T.float32(1))
# CHECK-NEXT: Z[tx] = H[tx]
# CHECK-NEXT: S[tx] = A[tx]
