# The offset of a buffer is a part of the index, and none of the flat buffer any more.
# RUN: %relayopt --passes=tir.FlattenBuffer %s | FileCheck %s
# RUN: %relayopt --passes=tir.FlattenBuffer,tir.FlattenBuffer --validate --bind=n=3 %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((32,), "int32"), n: T.int32):
    B = T.Buffer((4, 4), "int32", data=A.data, elem_offset=n)
    for i, j in T.grid(4, 4):
        B[i, j] = i
# CHECK: B = T.Buffer((n + 16,), "int32", data=A.data)
# CHECK: B[i * 4 + j + n] = i
