# A cast keeps the bounds of its operand only if they fit into the new type.
# RUN: %relayopt --passes=tir.Simplify --validate %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(W: T.Buffer((4,), "uint32"), L: T.Buffer((4,), "int64"), S: T.Buffer((4,), "uint8"), B: T.Buffer((4,), "int32")):
    for i in range(4):
        if T.Cast("int32", W[i]) < 0:
            B[i] = 1
        if T.Cast("int32", T.max(L[i], T.int64(0))) < 0:
            B[i] = 2
        if T.Cast("int32", S[i]) < 0:
            B[i] = 3
        if T.Cast("int32", S[i] - T.uint8(1)) < 255:
            B[i] = 4
# CHECK:     if T.Cast("int32", W[i]) < 0:
# CHECK:     if T.Cast("int32", T.max(L[i], T.int64(0))) < 0:
# CHECK-NOT: B[i] = 3
# CHECK:     if T.Cast("int32", S[i] - T.uint8(1)) < 255:
