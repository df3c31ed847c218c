# A program that is printed and read in each step of a reduction keeps short names, although naming a buffer names its pointer.
# RUN: printf '#!/bin/sh\ngrep -q allocate $1 && grep -q ptx_cp_async $1 && grep -qF "[tx" $1\n' > %t.test.sh && chmod +x %t.test.sh
# RUN: %relayopt --reduce=cmd:%t.test.sh --passes=tir.Simplify %s -o %t.py && FileCheck %s < %t.py
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((128,), "float16"), B: T.Buffer((128,), "float16")):
    bx = T.launch_thread("blockIdx.x", 1)
    tx = T.launch_thread("threadIdx.x", 16)
    W = T.allocate([64], "float32", "shared.dyn")
    W_1 = T.Buffer((64,), "float32", data=W, scope="shared.dyn")
    X = T.allocate([128], "float16", "shared.dyn")
    X_1 = T.Buffer((128,), "float16", data=X, scope="shared.dyn")
    for i in range(4):
        W_1[tx * 4 + i] = T.float32(3)
    T.ptx_cp_async("float16", X, tx * 8, A.data, tx * 8, 16)
    T.ptx_commit_group()
    T.ptx_wait_group(0)
    for i in range(8):
        B[tx * 8 + i] = X_1[127 - tx * 8 - i] + T.Cast("float16", W_1[(tx * 4 + i) % 64])
# CHECK: def main(
# CHECK-NOT: _1_1
# CHECK: T.ptx_cp_async(
# CHECK-NOT: _1_1
