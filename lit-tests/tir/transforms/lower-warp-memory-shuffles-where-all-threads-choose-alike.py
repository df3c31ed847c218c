# A Select whose condition all threads of the warp share, and what the first operand of `and` reads, may be a shuffle.
# RUN: %relayopt --passes=tir.LowerWarpMemory --validate %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    T.func_attr({"target": T.target("cuda")})
    # CHECK: 1 ok (1 bit-exact), 0 mismatches
    bx = T.launch_thread("blockIdx.x", 2)
    W = T.allocate([32], "float32", "warp")
    tx = T.launch_thread("threadIdx.x", 32)
    W_1 = T.Buffer((32,), data=W, scope="warp")
    W_1[tx] = A[bx * 32 + tx]
    # CHECK: T.Select(bx < 1, T.tvm_warp_shuffle(
    # CHECK: T.tvm_warp_shuffle({{.*}} > T.float32(0) and tx < 8
    B[bx * 32 + tx] = T.Select(bx < 1, W_1[(tx + 1) % 32], W_1[tx]) + T.Cast("float32", W_1[(tx + 2) % 32] > T.float32(0) and tx < 8)
