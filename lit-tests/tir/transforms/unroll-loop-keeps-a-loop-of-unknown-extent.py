# How often it runs is not known: the mark stays.
# RUN: %relayopt --passes=tir.UnrollLoop %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "int32"), n: T.int32):
    for j in T.unroll(n):
        A[j] = 1
# CHECK: for j in T.unroll(n):
