# RUN: %relayopt --passes=tir.LowerWarpMemory %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((32,), "float32")):
    T.func_attr({"target": T.target("opencl")})
    B = T.decl_buffer((32,), scope="warp")
    with T.launch_thread("threadIdx.x", 32) as tx:
        B[tx] = A[tx]
# CHECK: B = T.decl_buffer((32,), scope="warp")
