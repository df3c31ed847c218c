# An assertion is checked when the program runs, and stays; so does a program without assumptions.
# RUN: %relayopt %s -o %t
# RUN: %relayopt --passes=tir.RemoveAssume %s | cmp - %t
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "int32"), n: T.int32):
    assert n > 0, "n"
    A[0] = n
