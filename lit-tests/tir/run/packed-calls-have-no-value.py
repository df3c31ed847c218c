# What is not part of a program cannot be evaluated, and says so.
# RUN: not %relayopt --run %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4,), "float32")):
    A[0] = T.float32(0)
    T.call_packed("outside.function", A.data)
# CHECK: [[#@LINE-1]]:5: error: a packed call of 'outside.function' cannot be evaluated [not-evaluated]
