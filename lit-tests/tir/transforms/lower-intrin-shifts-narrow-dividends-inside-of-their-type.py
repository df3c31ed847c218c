# A dividend of 8 bits is made positive only where the greatest one stays in its type.
# RUN: %relayopt --passes=tir.LowerIntrin --validate %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((256,), "int8"), B: T.Buffer((256,), "int8"), C: T.Buffer((256,), "int8")):
    T.func_attr({"target": T.target("llvm")})
    for i in range(256):
        B[i] = T.max(A[i], T.int8(-5)) // T.int8(6)
        C[i] = T.min(T.max(A[i], T.int8(-5)), T.int8(20)) // T.int8(6)
# CHECK:      B[i] = T.Select(T.truncmod(T.max(A[i], T.int8(-5)), T.int8(6)) >= T.int8(0)
# CHECK-NEXT: C[i] = T.Div(T.min(T.max(A[i], T.int8(-5)), T.int8(20)) + T.int8(6), T.int8(6)) - T.int8(1)
