# A Select, `and` and `or` evaluate by need, and a loop goes on without the threads that have left it.
# RUN: %relayopt --passes=tir.LowerWarpMemory --verify-diagnostics --split-input-file --disable-output %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((32,), "float32"), B: T.Buffer((32,), "float32")):
    T.func_attr({"target": T.target("cuda")})
    W = T.allocate([32], "float32", "warp")
    tx = T.launch_thread("threadIdx.x", 32)
    W_1 = T.Buffer((32,), data=W, scope="warp")
    W_1[tx] = A[tx]
    B[tx] = T.Select(tx < 8, W_1[(tx + 1) % 32], W_1[tx])  # expected-error {{under a condition that they may not share}}

# -----

from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((32,), "float32"), B: T.Buffer((32,), "float32")):
    T.func_attr({"target": T.target("cuda")})
    W = T.allocate([32], "float32", "warp")
    tx = T.launch_thread("threadIdx.x", 32)
    W_1 = T.Buffer((32,), data=W, scope="warp")
    W_1[tx] = A[tx]
    B[tx] = T.Cast("float32", tx < 8 and W_1[(tx + 1) % 32] > T.float32(0))  # expected-error {{under a condition that they may not share}}

# -----

from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((32,), "float32"), B: T.Buffer((32,), "float32")):
    T.func_attr({"target": T.target("cuda")})
    W = T.allocate([32], "float32", "warp")
    tx = T.launch_thread("threadIdx.x", 32)
    W_1 = T.Buffer((32,), data=W, scope="warp")
    W_1[tx] = A[tx]
    B[tx] = T.Cast("float32", tx < 8 or W_1[(tx + 1) % 32] > T.float32(0))  # expected-error {{under a condition that they may not share}}

# -----

from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((32,), "float32"), B: T.Buffer((32,), "float32")):
    T.func_attr({"target": T.target("cuda")})
    W = T.allocate([32], "float32", "warp")
    tx = T.launch_thread("threadIdx.x", 32)
    W_1 = T.Buffer((32,), data=W, scope="warp")
    W_1[tx] = A[tx]
    while W_1[(tx + 1) % 32] > T.float32(0):  # expected-error {{under a condition that they may not share}}
        W_1[tx] = W_1[tx] - T.float32(1)
