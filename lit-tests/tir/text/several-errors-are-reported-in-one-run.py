# Reading goes on after a faulty statement; what depends on it is not reported again.
# RUN: not %relayopt %s 2>&1 | FileCheck %s --implicit-check-not=error:
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "int32")):
    x = undefined + 1
    A[x] = x
    A[0, 1] = 2
    for i in zip(A):
        A[i] = 1
    A[0] = T.exo(1)
# CHECK: :7:9: error: Undefined variable: undefined
# CHECK-NEXT: x = undefined + 1
# CHECK-NEXT: {{^ +\^~+$}}
# CHECK: :9:5: error: Buffer A is 1-dimensional, cannot be indexed with the 2-dimensional indices provided.
# CHECK: :10:14: error: this needs a Python interpreter: zip
# CHECK: :12:14: error: module 'tvm.script.parser.tir' has no attribute 'exo' (did you mean
