# A realized buffer that names no memory lies in what the innermost threads around it share.
# RUN: %relayopt %s --passes=tir.StorageFlatten | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((64,), "float32"), C: T.Buffer((64,), "float32")):
    T.func_attr({"from_legacy_te_schedule": T.bool(True)})
    S = T.Buffer((8,), "float32", scope="")
    L = T.Buffer((1,), "float32", scope="")
    with T.launch_thread("blockIdx.x", 8) as bx:
        with T.realize(S[0:8], ""):
            with T.launch_thread("threadIdx.x", 8) as tx:
                with T.realize(L[0:1], ""):
                    S[tx] = A[bx * 8 + tx]
                    L[0] = S[tx]
                    C[bx * 8 + tx] = L[0]

# CHECK: T.allocate([8], "float32", "shared")
# CHECK: T.allocate([1], "float32", "local")
