# Where its condition does not hold, nothing is read.
# RUN: %relayopt --run %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(B: T.Buffer((8,), "int32")):
    with T.launch_thread("blockIdx.x", 1) as b:
        A = T.allocate([8], "int32", "global")
        S = T.allocate([16], "int32", "shared")
        A_1 = T.Buffer((8,), "int32", data=A)
        S_1 = T.Buffer((16,), "int32", data=S, scope="shared")
        t = T.launch_thread("threadIdx.x", 2)
        for i in range(8):
            A_1[i] = i + 1
        T.evaluate(T.ptx_cp_async("int32", S, t * 4, A, t * 100, 16, t < 1))
        T.evaluate(T.ptx_commit_group())
        T.evaluate(T.ptx_wait_group(0))
        T.tvm_storage_sync("shared")
        for i in range(4):
            B[t * 4 + i] = S_1[t * 4 + i]
# CHECK: B: [1, 2, 3, 4, 0, 0, 0, 0]
