# The extent of a loop is the difference of its ends, in which literals cancel: what is printed reads as itself.
# RUN: %relayopt --verify-roundtrip %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "int32"), n: T.int32):
    for i in range(2, 2 + n):
        A[i] = 1
    for i in range(2, n + 3):
        A[i] = 2
    for i in range(n, n + 2):
        A[i] = 3
# CHECK: for i in range(2, 2 + n):
# CHECK: for i in range(2, 2 + (n + 1)):
# CHECK: for i in range(n, n + 2):
