# The address of a part of a larger allocation is another one than before.
# RUN: %relayopt --passes=tir.StorageRewrite --verify-diagnostics --disable-output %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "float32")):
    b = T.allocate([4], "int8", "local.L0")
    c = T.allocate([4], "int8", "local.L0")
    B = T.Buffer((4,), "int8", data=b, scope="local.L0")
    C = T.Buffer((4,), "int8", data=c, scope="local.L0")
    B[0] = T.int8(1)
    C[0] = T.int8(1)
    T.evaluate(T.call_extern("int32", "f", c))  # expected-warning {{tir.StorageRewrite: the address of C is used, which is a part of a larger allocation now}}
    A[0] = T.Cast("float32", B[0] + C[0])
