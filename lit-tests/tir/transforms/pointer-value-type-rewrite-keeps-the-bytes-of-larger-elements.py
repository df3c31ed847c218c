# Memory of four elements of 64 bits that is accessed as eight of 32 bits keeps its size.
# RUN: %relayopt --passes=tir.PointerValueTypeRewrite --validate %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
    M = T.allocate([4], "int64", "global")
    words = T.decl_buffer((8,), "int32", data=M)
    for i in range(8):
        words[i] = A[i]
    for i in range(8):
        B[i] = words[7 - i]
# CHECK:      words = T.decl_buffer((8,), "int32")
# CHECK-NEXT: for i in range(8):
# CHECK-NEXT:     words[i] = A[i]
