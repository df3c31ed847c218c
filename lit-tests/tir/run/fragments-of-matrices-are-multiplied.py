# A fragment is loaded row by row or column by column, fragments are after one another, the product is rounded once.
# RUN: %relayopt --run %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(C: T.Buffer((4, 4), "float32")):
    with T.launch_thread("threadIdx.x", 32) as tx:
        A = T.allocate([16], "float16", "shared")
        A_1 = T.Buffer((16,), "float16", data=A, scope="shared")
        a = T.allocate([8], "float16", "wmma.matrix_a")
        b = T.allocate([8], "float16", "wmma.matrix_b")
        c = T.allocate([32], "float32", "wmma.accumulator")
        if tx < 16:
            A_1[tx] = T.Cast("float16", tx)
        T.tvm_storage_sync("shared")
        T.evaluate(T.tvm_fill_fragment(c, 4, 4, 2, 1, T.float32(100)))
        T.evaluate(T.tvm_load_matrix_sync(a, 4, 4, 2, 0, A, 2, "row_major"))
        T.evaluate(T.tvm_load_matrix_sync(b, 4, 4, 2, 0, T.tvm_access_ptr(T.type_annotation("float16"), A, 8, 8, 1), 2, "col_major"))
        T.evaluate(T.tvm_mma_sync(c, 0, a, 0, b, 0, c, 1))
        T.evaluate(T.tvm_store_matrix_sync(c, 4, 4, 2, 0, C.data, 4, "row_major"))
# CHECK: C: {{\[\[}}109, 111, 113, 115], [143, 153, 163, 173], [177, 195, 213, 231], [211, 237, 263, 289]]
