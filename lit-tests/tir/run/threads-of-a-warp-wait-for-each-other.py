# A barrier of a warp holds up those of its threads that come to it, and no other warp.
# RUN: %relayopt --run %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(B: T.Buffer((2,), "int32")):
    for t in T.thread_binding(64, thread="threadIdx.x"):
        with T.block(""):
            S = T.alloc_buffer((64,), "int32", scope="shared")
            if t < 8:
                S[t] = t
                T.tvm_storage_sync("warp")
                if t == 0:
                    B[0] = S[7]
            if t >= 32:
                S[t] = t
                T.tvm_storage_sync("warp")
                if t == 32:
                    B[1] = S[63]
# CHECK: {{^}}B: [7, 63]{{$}}
