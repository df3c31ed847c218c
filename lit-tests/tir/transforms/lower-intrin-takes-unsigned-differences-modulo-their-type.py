# A difference of unsigned words is not negative, and its remainder is that of the word.
# RUN: %relayopt --passes=tir.LowerIntrin --validate %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((256,), "uint8"), B: T.Buffer((256,), "uint8"), W: T.Buffer((256,), "uint32"), C: T.Buffer((256,), "uint32")):
    T.func_attr({"target": T.target("llvm")})
    for i in range(256):
        B[i] = (A[i] - T.uint8(6)) // T.uint8(250)
        C[i] = (W[i] - T.uint32(6)) % T.uint32(7)
# CHECK:      B[i] = T.Div(A[i] - T.uint8(6), T.uint8(250))
# CHECK-NEXT: C[i] = T.truncmod(W[i] - T.uint32(6), T.uint32(7))
