# Of four elements of A in a row, the first and the last are there, in row 9 the second and the third.
# RUN: %relayopt --run %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(C: T.Buffer((16, 8), "float32")):
    with T.launch_thread("threadIdx.x", 32) as tx:
        a = T.allocate([4], "float16", "local")
        b = T.allocate([4], "float16", "local")
        c = T.allocate([4], "float32", "local")
        m = T.allocate([1], "uint32", "local")
        a_1 = T.Buffer((4,), "float16", data=a, scope="local")
        b_1 = T.Buffer((4,), "float16", data=b, scope="local")
        c_1 = T.Buffer((4,), "float32", data=c, scope="local")
        m_1 = T.Buffer((1,), "uint32", data=m, scope="local")
        for i in range(4):
            a_1[i] = T.Cast("float16", tx // 4 + i // 2 * 8 + tx % 4 * 2 + i % 2)
            b_1[i] = T.Cast("float16", (tx % 4 * 2 + i % 2 + i // 2 * 8) * 8 + tx // 4)
            c_1[i] = T.float32(0)
        # Threads other than the second of each four have metadata that nobody reads.
        m_1[0] = T.if_then_else(tx % 4 == 1, T.if_then_else(tx // 4 == 1, T.uint32(0x9999CCCC), T.uint32(0xCCCCCCCC)), T.uint32(0))
        T.evaluate(T.ptx_mma_sp("float32", "m16n8k16", "row", "col", "fp16", "fp16", "fp32", a, 0, b, 0, c, 0, m, 0, 1, False))
        for i in range(4):
            C[tx // 4 + i // 2 * 8, tx % 4 * 2 + i % 2] = c_1[i]
    for i, j in T.grid(16, 8):
        total = T.allocate([1], "float32", "global")
        total_1 = T.Buffer((1,), "float32", data=total)
        total_1[0] = T.float32(0)
        for k in range(8):
            total_1[0] = total_1[0] + T.Cast("float32", (i + k) * ((k // 2 * 4 + T.if_then_else(i == 9, k % 2 + 1, k % 2 * 3)) * 8 + j))
        with T.Assert(C[i, j] == total_1[0], "the product is wrong"):
            T.evaluate(0)
# CHECK: C: {{\[\[}}
