# Two parts of four threads: numbers count in the part and modulo its width; beyond the part a thread gets its own value.
# RUN: %relayopt --run %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(B: T.Buffer((8,), "int32"), C: T.Buffer((8,), "int32"), D: T.Buffer((8,), "int32")):
    T.launch_thread("blockIdx.x", 1)
    t = T.launch_thread("threadIdx.x", 8)
    x = T.decl_buffer((1,), "int32", scope="local")
    x[0] = t * 10
    B[t] = T.tvm_warp_shuffle(T.tvm_warp_activemask(), x[0], t + 1, 4, 32)
    C[t] = T.tvm_warp_shuffle_down(T.tvm_warp_activemask(), x[0], 1, 4, 32)
    D[t] = T.tvm_warp_shuffle_up(T.tvm_warp_activemask(), x[0], 2, 4, 32)
# CHECK: B: [10, 20, 30, 0, 50, 60, 70, 40]
# CHECK: C: [10, 20, 30, 30, 50, 60, 70, 70]
# CHECK: D: [0, 10, 0, 10, 40, 50, 40, 50]
