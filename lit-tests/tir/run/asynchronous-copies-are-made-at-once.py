# RUN: %relayopt --run %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(B: T.Buffer((8,), "float16")):
    with T.launch_thread("blockIdx.x", 1) as b:
        A = T.allocate([8], "float16", "global")
        S = T.allocate([8], "float16", "shared")
        A_1 = T.Buffer((8,), "float16", data=A)
        S_1 = T.Buffer((8,), "float16", data=S, scope="shared")
        t = T.launch_thread("threadIdx.x", 2)
        for i in range(8):
            A_1[i] = T.Cast("float16", i)
        T.evaluate(T.ptx_cp_async("float16", S, t * 4, A, 4 - t * 4, 8))
        T.evaluate(T.ptx_commit_group())
        T.evaluate(T.ptx_wait_group(0))
        T.tvm_storage_sync("shared")
        for i in range(4):
            B[t * 4 + i] = S_1[t * 4 + i]
# CHECK: [4, 5, 6, 7, 0, 1, 2, 3]
