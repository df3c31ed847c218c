# RUN: %relayopt --passes=tir.InjectVirtualThread %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    vt = T.launch_thread("vthread", 2)
    with T.allocate([4], "float32", "local", annotations={"x": 1}) as b:
        B = T.Buffer((4,), data=b, scope="local")
        B[0] = A[0]
    with T.allocate([4], "float32", "local", annotations={"y": 1}) as d:
        D = T.Buffer((4,), data=d, scope="local")
        D[0] = A[vt]
        C[vt] = D[0]
# CHECK: T.allocate([4], "float32", "local", annotations={"x": 1})
# CHECK: T.allocate([8], "float32", "local")
# CHECK-NOT: annotations
