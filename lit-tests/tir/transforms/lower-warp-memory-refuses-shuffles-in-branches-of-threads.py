# A shuffle under a condition that the threads of a warp do not share is an error; under one that they share it stays.
# RUN: %relayopt --passes=tir.LowerWarpMemory --verify-diagnostics %s
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def branch(A: T.Buffer((64,), "float32"), B: T.Buffer((40,), "float32")):
        T.func_attr({"target": T.target("cuda")})
        bx = T.launch_thread("blockIdx.x", 2)
        W = T.allocate([32], "float32", "warp")
        tx = T.launch_thread("threadIdx.x", 32)
        W_1 = T.Buffer((32,), data=W, scope="warp")
        W_1[tx] = A[bx * 32 + tx]
        if bx * 32 + tx < 40:
            B[bx * 32 + tx] = W_1[(tx + 1) % 32]  # expected-error {{this access to memory of a warp reads other threads under a condition that they may not share: load the value before the branch}}
