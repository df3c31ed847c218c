# A second binding in the same block is an error; one in an inner block shadows.
# RUN: not %relayopt %s 2>&1 | FileCheck %s --implicit-check-not=error:
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "int32"), i: T.int32):
    x = i + 1
    for k in range(4):
        x = i + 2
        A[k] = x
    x = i + 3
# CHECK: :11:5: error: Variable x already defined in current scope
