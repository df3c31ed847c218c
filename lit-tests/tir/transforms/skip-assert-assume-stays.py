# What the program assumes is no check, and stays.
# RUN: %relayopt %s -o %t
# RUN: %relayopt --passes=tir.SkipAssert %s | cmp - %t
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "int32"), n: T.int32):
    T.assume(n > 0)
    A[0] = n
