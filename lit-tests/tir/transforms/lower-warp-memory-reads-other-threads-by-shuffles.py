# RUN: %relayopt --passes=tir.LowerWarpMemory --validate %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((64,), "float32"), C: T.Buffer((64,), "float32")):
    T.func_attr({"target": T.target("cuda")})
    with T.launch_thread("blockIdx.x", 1) as bx:
        B = T.decl_buffer((64,), scope="warp")
        with T.launch_thread("threadIdx.x", 32) as tx:
            B[tx] = A[tx]
            B[tx + 32] = A[tx + 32]
            C[tx] = B[tx]
            C[tx + 32] = B[(tx + 1) % 32 + 32]
# CHECK:      B = T.allocate([2], "float32", "local")
# CHECK:      B_1[0] = A[tx]
# CHECK-NEXT: B_1[1] = A[tx + 32]
# CHECK-NEXT: C[tx] = B_1[0]
# CHECK-NEXT: C[tx + 32] = T.tvm_warp_shuffle(T.tvm_warp_activemask(), B_1[1], (tx + 1) % 32, 32, 32)
