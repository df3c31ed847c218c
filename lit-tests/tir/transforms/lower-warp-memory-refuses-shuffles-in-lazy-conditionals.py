# The arms of if_then_else are evaluated only by the threads for which the condition holds.
# RUN: %relayopt --passes=tir.LowerWarpMemory --verify-diagnostics %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((32,), "float32"), B: T.Buffer((32,), "float32")):
    T.func_attr({"target": T.target("cuda")})
    W = T.allocate([32], "float32", "warp")
    tx = T.launch_thread("threadIdx.x", 32)
    W_1 = T.Buffer((32,), data=W, scope="warp")
    W_1[tx] = A[tx]
    B[tx] = T.if_then_else(tx < 8, W_1[(tx + 1) % 32], T.float32(0))  # expected-error {{this access to memory of a warp reads other threads under a condition that they may not share: load the value before the branch}}
