# RUN: %relayopt --passes=tir.TextureFlatten %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(B: T.Buffer((8, 16, 4), "float32")):
    A = T.Buffer((8, 16, 4), "float32", scope="global.texture")
    with T.realize(A[0:8, 0:16, 0:4], "global.texture"):
        for i, j, k in T.grid(8, 16, 4):
            A[i, j, k] = T.float32(1)
        for i, j, k in T.grid(8, 16, 4):
            B[i, j, k] = A[i, j, k]
# CHECK: T.LetStmt(T.nd_mem_alloc_with_scope("global.texture", T.int64(2), T.tvm_stack_make_shape(16, 8)), var=A.data)
# CHECK: T.texture2d_store(A.data, j, i, T.float32(1))
# CHECK: B[i, j, k] = T.texture2d_load(A.data, j, i, k)
