# RUN: %relayopt --run %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(B: T.Buffer((4,), "int32"), C: T.Buffer((4,), "int32")):
    T.launch_thread("blockIdx.x", 1)
    t = T.launch_thread("threadIdx.x", 4)
    x = T.allocate([1], "int32", "local")
    x_1 = T.Buffer((1,), "int32", data=x, scope="local")
    x_1[0] = t * 10
    B[t] = T.tir.cuda.__shfl_sync(T.tir.cuda.__activemask(), x_1[0], 3 - t, 32)
    C[t] = T.tir.metal.simd_shuffle_down(x_1[0], 1)
# CHECK: [30, 20, 10, 0]
# CHECK: [10, 20, 30, 30]
