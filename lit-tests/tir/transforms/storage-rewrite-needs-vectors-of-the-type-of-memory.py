# Memory of integers with a buffer of vectors of floats as elements is refused.
# RUN: not %relayopt --passes=tir.StorageRewrite %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(B: T.Buffer((12,), "float32")):
    A = T.allocate([12], "int32", "global")
    for i in range(3):
        A_1 = T.Buffer((3,), "float32x4", data=A)
        A_1[i] = A_1[i] + 1
# CHECK: error: the vector type of a buffer on the memory A_1 differs from that of the memory
