# What a warp holds is spread over its threads: its size is a literal, and what is stored says which thread holds what.
# RUN: %relayopt --passes=tir.LowerWarpMemory --verify-diagnostics --split-input-file --disable-output %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((32,), "float32")):  # expected-error {{LowerWarpMemory: the function @main has no attribute target}}
    A[0] = T.float32(0)

// -----

from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((32,), "float32"), n: T.int32):
    T.func_attr({"target": T.target("cuda")})
    b = T.allocate([n], "float32", "warp")  # expected-error {{memory of a warp needs a literal size; that of B is not a literal}}
    B = T.Buffer((32,), data=b, scope="warp")
    with T.launch_thread("threadIdx.x", 32) as tx:
        B[tx] = A[tx]

// -----

from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((32,), "float32")):
    T.func_attr({"target": T.target("cuda")})
    with T.launch_thread("threadIdx.x", 32) as tx:
        b = T.allocate([32], "float32", "warp")  # expected-error {{Cannot find warp index (threadIdx.x) within the scope of warp memory B}}
        B = T.Buffer((32,), data=b, scope="warp")
        B[tx] = A[tx]

// -----

from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((32,), "float32")):
    T.func_attr({"target": T.target("cuda")})
    b = T.allocate([32], "float32", "warp")  # expected-error {{the memory B of a warp is used in two launches of threadIdx.x}}
    B = T.Buffer((32,), data=b, scope="warp")
    with T.launch_thread("threadIdx.x", 32) as tx:
        B[tx] = A[tx]
    with T.launch_thread("threadIdx.x", 32) as ty:
        A[ty] = B[ty]

// -----

from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((32,), "float32")):
    T.func_attr({"target": T.target("cuda")})
    b = T.allocate([32], "float32", "warp")  # expected-error {{nothing is stored to the memory B of a warp}}
    B = T.Buffer((32,), data=b, scope="warp")
    with T.launch_thread("threadIdx.x", 32) as tx:
        A[tx] = B[tx]
