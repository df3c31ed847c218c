# What only Python can evaluate is an error that says so.
# RUN: not %relayopt %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "int32")):
    A[0] = [x for x in A]
# CHECK: error: this needs a Python interpreter: a comprehension
