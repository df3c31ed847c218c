# A fragment has one shape and layout, which its first use names.
# RUN: %relayopt --passes=tir.InferFragment --verify-diagnostics --split-input-file --disable-output %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((256,), "float16")):
    a = T.allocate([256], "float16", "wmma.matrix_a")
    T.tvm_load_matrix_sync(a, 16, 16, 16, 0, A.data, 16, "col_major")
    T.tvm_load_matrix_sync(a, 16, 16, 16, 0, A.data, 16, "row_major")  # expected-error {{the fragment a is used with two different shapes or layouts}}

// -----

from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((256,), "float16"), n: T.int32):
    a = T.allocate([256], "float16", "wmma.matrix_a")
    T.tvm_load_matrix_sync(a, n, 16, 16, 0, A.data, 16, "col_major")  # expected-error {{this use of a fragment needs a variable, a literal shape and the name of a layout}}

// -----

from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((256,), "float16")):
    a = T.allocate([256], "float16", "wmma.matrix_a")
    b = T.allocate([256], "float16", "wmma.matrix_b")
    T.tvm_load_matrix_sync(a, 16, 16, 16, 0, A.data, 16, "col_major")
    T.tvm_load_matrix_sync(b, 8, 32, 16, 0, A.data, 16, "col_major")
    T.tvm_mma_sync(a, 0, b, 0, b, 0, a, 0)  # expected-error {{the fragments of this product have different shapes}}
