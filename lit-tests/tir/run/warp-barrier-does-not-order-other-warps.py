# RUN: not %relayopt --run %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(B: T.Buffer((1,), "int32")):
    for t in T.thread_binding(64, thread="threadIdx.x"):
        with T.block(""):
            S = T.alloc_buffer((64,), "int32", scope="shared")
            S[t] = t
            T.tvm_storage_sync("warp")
            if t == 63:
                B[0] = S[0]
# CHECK: error: read of element 0 of S, which another thread or iteration writes without a barrier in between [data-race]
