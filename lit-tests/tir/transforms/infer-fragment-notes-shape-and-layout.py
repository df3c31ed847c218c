# RUN: %relayopt --passes=tir.InferFragment %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((256,), "float16")):
    a = T.allocate([256], "float16", "wmma.matrix_a")
    c = T.allocate([256], "float32", "wmma.accumulator")
    T.tvm_load_matrix_sync(a, 16, 16, 16, 0, A.data, 16, "col_major")
    T.tvm_fill_fragment(c, 16, 16, 16, 0, T.float32(0))
    T.tvm_mma_sync(c, 0, a, 0, a, 0, c, 0)
# CHECK:      T.attr(a, "fragment_layout", "col_major")
# CHECK-NEXT: T.attr(a, "fragment_shape", "16, 16, 16")
# CHECK:      a = T.allocate([256], "float16", "wmma.matrix_a")
# CHECK:      T.attr(c, "fragment_shape", "16, 16, 16")
