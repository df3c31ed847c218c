# RUN: not %relayopt --passes=tir.LowerWarpMemory %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((24,), "float32")):
    T.func_attr({"target": T.target("cuda")})
    B = T.decl_buffer((24,), scope="warp")
    with T.launch_thread("threadIdx.x", 24) as tx:
        B[tx] = A[tx]
# CHECK: error: Expect threadIdx.x's size to be no larger than, and a factor of, the warp size (32)
