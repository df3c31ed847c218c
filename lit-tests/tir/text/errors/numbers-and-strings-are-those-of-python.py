# RUN: not %relayopt %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4,), "int32")):
    A[0] = 007
    # CHECK: :[[# @LINE - 1]]:12: error: {{.*}}007
    A[0] = 1__0
    # CHECK: :[[# @LINE - 1]]:12: error: {{.*}}1__0
    A[0] = 0xF_
    # CHECK: :[[# @LINE - 1]]:12: error: {{.*}}0xF_
    T.evaluate(1_e5)
    # CHECK: :[[# @LINE - 1]]:16: error: {{.*}}1_e5
    T.evaluate(b"bytes")
    # CHECK: :[[# @LINE - 1]]:16: error: this needs a Python interpreter: bytes
    T.evaluate("\N{DASH}")
    # CHECK: :[[# @LINE - 1]]:16: error: malformed escape in a string
    T.evaluate("\ud800")
    # CHECK: :[[# @LINE - 1]]:16: error: malformed escape in a string
