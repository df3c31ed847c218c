# RUN: not %relayopt --passes=tir.LowerWarpMemory %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((32,), "float32")):
    T.func_attr({"target": T.target("cuda")})
    B = T.decl_buffer((32,), scope="warp")
    with T.launch_thread("threadIdx.x", 32) as tx:
        B[tx * tx] = A[tx]
# CHECK: :9:9: error: this store to memory of a warp is not at a multiple of threadIdx.x{{.*}} [warp-linear]
