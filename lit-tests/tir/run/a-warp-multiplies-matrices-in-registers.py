# ldmatrix distributes tiles of 8 x 8 over the registers of a warp, B transposed; two products of 16 x 8 x 16 make one of
# 16 x 16, which is stored row by row. The program asserts what a loop computes, also when the registers are those of
# each thread.
# RUN: %relayopt --run %s | FileCheck %s
# RUN: %relayopt --passes=tir.LowerWarpMemory %s | FileCheck --check-prefix=LOCAL %s
# RUN: %relayopt --passes=tir.LowerWarpMemory %s -o %t.py
# RUN: %relayopt --run %t.py | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(C: T.Buffer((16, 16), "float32")):
    T.func_attr({"target": T.target({"kind": "cuda", "thread_warp_size": 32})})
    with T.launch_thread("blockIdx.x", 1) as bx:
        A_shared = T.allocate([256], "float16", "shared")
        B_shared = T.allocate([256], "float16", "shared")
        A_warp = T.allocate([256], "float16", "warp")
        B_warp = T.allocate([256], "float16", "warp")
        C_warp = T.allocate([256], "float32", "warp")
        tx = T.launch_thread("threadIdx.x", 32)
        A_1 = T.Buffer((16, 16), "float16", data=A_shared, scope="shared")
        B_1 = T.Buffer((16, 16), "float16", data=B_shared, scope="shared")
        for i in range(8):
            A_1[tx % 16, tx // 16 * 8 + i] = T.Cast("float16", (tx % 16 * 3 + (tx // 16 * 8 + i) * 5) % 7)
            B_1[tx % 16, tx // 16 * 8 + i] = T.Cast("float16", (tx % 16 * 2 + (tx // 16 * 8 + i) * 3) % 5)
        T.tvm_storage_sync("shared")
        T.evaluate(T.mma_fill("float32", 8, C_warp, tx * 8))
        T.evaluate(T.ptx_ldmatrix("float16", T.bool(False), 4, ".b16", A_warp, tx * 8, A_shared, tx % 16 * 16 + tx // 16 * 8))
        T.evaluate(T.ptx_ldmatrix("float16", T.bool(True), 4, ".b16", B_warp, tx * 8, B_shared, tx % 16 * 16 + tx // 16 * 8))
        T.evaluate(T.ptx_mma("float32", "m16n8k16", "row", "col", "fp16", "fp16", "fp32", A_warp, tx * 8, B_warp, tx * 8, C_warp, tx * 8, False))
        T.evaluate(T.ptx_mma("float32", "m16n8k16", "row", "col", "fp16", "fp16", "fp32", A_warp, tx * 8, B_warp, tx * 8 + 4, C_warp, tx * 8 + 4, False))
        T.evaluate(T.mma_store("float32", 16, 16, T.tvm_access_ptr(T.type_annotation("float32"), C.data, 0, 256, 2), C_warp, tx * 8, 16))
    for i, j in T.grid(16, 16):
        total = T.allocate([1], "float32", "global")
        total_1 = T.Buffer((1,), "float32", data=total)
        total_1[0] = T.float32(0)
        for k in range(16):
            total_1[0] = total_1[0] + T.Cast("float32", (i * 3 + k * 5) % 7 * ((k * 2 + j * 3) % 5))
        with T.Assert(C[i, j] == total_1[0], "the product is wrong"):
            T.evaluate(0)
# CHECK: C: {{\[\[}}89, 85, 101, 92, 103, 89, 85, 101, 92, 103, 89, 85, 101, 92, 103, 89]
# LOCAL: T.ptx_ldmatrix("float16", T.bool(False), 4, ".b16", A_warp, 0,
