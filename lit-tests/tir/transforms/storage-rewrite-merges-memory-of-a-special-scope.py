# Each part begins at a multiple of 32 bits.
# RUN: %relayopt --passes=tir.StorageRewrite --validate %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(E: T.Buffer((4,), "float32")):
    A = T.decl_buffer((3,), "int8", scope="local.L0")
    B = T.decl_buffer((2,), "int8", scope="local.L0")
    for i in range(2):
        A[i] = T.int8(1)
        B[i] = T.int8(2)
        E[i] = T.Cast("float32", A[i] + B[i])
# CHECK:      A = T.allocate([8], "int8", "local.L0")
# CHECK:      [i] = T.int8(1)
# CHECK:      [4 + i] = T.int8(2)
