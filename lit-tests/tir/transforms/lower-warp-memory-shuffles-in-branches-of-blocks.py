# All threads of a warp take the same branch on the index of the block, and one on their own register is not a shuffle.
# RUN: %relayopt --passes=tir.LowerWarpMemory --validate %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32"), C: T.Buffer((64,), "float32")):
    T.func_attr({"target": T.target("cuda")})
    bx = T.launch_thread("blockIdx.x", 2)
    W = T.allocate([32], "float32", "warp")
    tx = T.launch_thread("threadIdx.x", 32)
    W_1 = T.Buffer((32,), data=W, scope="warp")
    W_1[tx] = A[bx * 32 + tx]
    if bx < 1:
        B[bx * 32 + tx] = W_1[(tx + 1) % 32]
    if tx < 32:
        B[bx * 32 + tx] = W_1[(tx + 2) % 32]
    if tx < 8:
        C[bx * 32 + tx] = W_1[tx]
# CHECK:      if bx < 1:
# CHECK-NEXT:   B[bx * 32 + tx] = T.tvm_warp_shuffle(
# CHECK:      if tx < 32:
# CHECK-NEXT:   B[bx * 32 + tx] = T.tvm_warp_shuffle(
# CHECK:      if tx < 8:
# CHECK-NEXT:   C[bx * 32 + tx] = W_1_1[0]
