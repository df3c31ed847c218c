# The instruction transposes elements of 16 bits only. For bytes the offset is the length of a row, as in TVM.
# RUN: %relayopt --run %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(C: T.Buffer((16, 16), "int32")):
    with T.launch_thread("blockIdx.x", 1) as bx:
        A_shared = T.allocate([512], "int8", "shared")
        B_shared = T.allocate([512], "int8", "shared")
        a = T.allocate([16], "int8", "local")
        b = T.allocate([16], "int8", "local")
        c = T.allocate([8], "int32", "local")
        tx = T.launch_thread("threadIdx.x", 32)
        A_1 = T.Buffer((16, 32), "int8", data=A_shared, scope="shared")
        B_1 = T.Buffer((32, 16), "int8", data=B_shared, scope="shared")
        for i in range(16):
            A_1[i, tx] = T.Cast("int8", (i * 7 + tx * 5) % 11 - 5)
            B_1[tx, i] = T.Cast("int8", (tx * 3 + i * 2) % 13 - 6)
        T.tvm_storage_sync("shared")
        T.evaluate(T.mma_fill("int32", 8, c, 0))
        T.evaluate(T.ptx_ldmatrix("int8", T.bool(False), 4, ".b16", a, 0, A_shared, tx % 16 * 32 + tx // 16 * 16))
        T.evaluate(T.ptx_ldmatrix("int8", T.bool(True), 4, ".b16", b, 0, B_shared, 16))
        T.evaluate(T.ptx_mma("int32", "m16n8k32", "row", "col", "int8", "int8", "int32", a, 0, b, 0, c, 0, False))
        T.evaluate(T.ptx_mma("int32", "m16n8k32", "row", "col", "int8", "int8", "int32", a, 0, b, 8, c, 4, False))
        T.evaluate(T.mma_store("int32", 16, 16, C.data, c, 0, 16))
    for i, j in T.grid(16, 16):
        total = T.allocate([1], "int32", "global")
        total_1 = T.Buffer((1,), "int32", data=total)
        total_1[0] = 0
        for k in range(32):
            total_1[0] = total_1[0] + ((i * 7 + k * 5) % 11 - 5) * ((k * 3 + j * 2) % 13 - 6)
        with T.Assert(C[i, j] == total_1[0], "the product is wrong"):
            T.evaluate(0)
# CHECK: C: {{\[\[}}
