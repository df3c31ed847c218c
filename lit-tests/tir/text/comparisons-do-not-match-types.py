# Unlike arithmetic: two expressions of different types cannot be compared.
# RUN: not %relayopt %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "bool"), i: T.int32):
    A[0] = i < T.int64(5)
# CHECK: error: TypeError: mismatched types. int32 vs. int64
