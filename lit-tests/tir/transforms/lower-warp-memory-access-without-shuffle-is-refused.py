# A thread stores to its own registers, and a shuffle reads the same register of another thread.
# RUN: %relayopt --passes=tir.LowerWarpMemory --verify-diagnostics --split-input-file --disable-output %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((32,), "float32")):
    T.func_attr({"target": T.target("cuda")})
    b = T.allocate([32, 2], "float32", "warp")
    B = T.Buffer((32, 2), data=b, scope="warp")
    with T.launch_thread("threadIdx.x", 32) as tx:
        B[tx, 0] = A[tx]  # expected-error {{memory of a warp needs one index: run tir.FlattenBuffer first}}

// -----

from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((32,), "float32")):
    T.func_attr({"target": T.target("cuda")})
    b = T.allocate([128], "float32", "warp")
    B = T.Buffer((128,), data=b, scope="warp")
    with T.launch_thread("threadIdx.x", 32) as tx:
        B[T.Ramp(tx * 4, 2, 2)] = T.Broadcast(A[tx], 2)  # expected-error {{vectors in memory of a warp must be contiguous}}

// -----

from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((32,), "float32")):
    T.func_attr({"target": T.target("cuda")})
    b = T.allocate([64], "float32", "warp")
    B = T.Buffer((64,), data=b, scope="warp")
    with T.launch_thread("threadIdx.x", 32) as tx:
        B[tx] = A[tx]
        B[tx * 2] = A[tx]  # expected-error {{stores to memory of a warp have different factors of threadIdx.x: 1 and 2}}

// -----

from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((32,), "float32")):
    T.func_attr({"target": T.target("cuda")})
    b = T.allocate([64], "float32", "warp")
    B = T.Buffer((64,), data=b, scope="warp")
    with T.launch_thread("threadIdx.x", 32) as tx:
        B[tx * 2] = A[tx]
        A[tx] = B[tx]  # expected-error {{this access to memory of a warp is not a shuffle: the register that it reads depends on threadIdx.x}}

// -----

from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((32,), "float32")):
    T.func_attr({"target": T.target("cuda")})
    b = T.allocate([32], "float32", "warp")
    B = T.Buffer((32,), data=b, scope="warp")
    with T.launch_thread("threadIdx.x", 32) as tx:
        B[tx] = A[tx]
        T.call_extern("int32", "f", b)  # expected-error {{Cannot access address of warp memory directly: B}}
