# RUN: %relayopt --passes=tir.RemoveNoOp %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((256,), "float16")):
    a = T.allocate([256], "float16", "wmma.matrix_a")
    T.tvm_load_matrix_sync(a, 16, 16, 16, 0, A.data, 16, "row_major")
# CHECK: T.tvm_load_matrix_sync(a, 16, 16, 16, 0, A.data, 16, "row_major")
