# What depends on the thread is done for each; the allocation has room for both.
# RUN: %relayopt --passes=tir.InjectVirtualThread %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    vt = T.launch_thread("vthread", 2)
    b = T.allocate([4], "float32", "local")
    B = T.Buffer((4,), data=b, scope="local")
    B[0] = A[vt]
    C[vt] = B[0]
# CHECK: T.allocate([8], "float32", "local")
# CHECK: T.Buffer((8,)
# CHECK: [T.Mul(0, 4)] = A[0]
# CHECK: [T.Mul(1, 4)] = A[1]
# CHECK: C[0] =
# CHECK: C[1] =
