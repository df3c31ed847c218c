# RUN: %relayopt --passes=tir.InjectDoubleBuffer %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((32,), "float32")):
    for i in range(8):
        b = T.allocate([4], "float32", "shared")
        B = T.Buffer((4,), data=b, scope="shared")
        c = T.allocate([4], "float32", "shared")
        C = T.Buffer((4,), data=c, scope="shared")
        with T.attr(b, "double_buffer_scope", 1):
            B[0] = A[i]
        with T.attr(c, "double_buffer_scope", 1):
            C[0] = A[i]
        A[i] = C[0]
        T.call_extern("int32", "f", b)
# CHECK: :11:9: warning: B is not double buffered: it is used other than by loads and stores
# CHECK: C_1[T.Mul(0, 4)] = A[0]
# CHECK: B_1[0] = A[i_outer]
