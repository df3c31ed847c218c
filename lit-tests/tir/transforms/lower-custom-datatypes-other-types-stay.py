# Text cannot register types, so a program with a target stays as it is.
# RUN: %relayopt %s -o %t
# RUN: %relayopt --passes=tir.LowerCustomDatatypes %s | cmp - %t
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4,), "bfloat16")):
    T.func_attr({"target": T.target("llvm")})
    A[0] = A[1] + T.bfloat16(1)
