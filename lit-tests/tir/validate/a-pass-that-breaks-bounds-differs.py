# A program that runs before a pass and fails after it is a mismatch.
# RUN: not %relayopt --validate --passes=tir.TestMiscompile --disable-output %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4,), "int32")):
    for i in range(3):
        A[i + 1] = 1
# CHECK: validate: #1 tir.TestMiscompile  MISMATCH  main: afterwards: index -1 of axis 0 of A is outside of [0, 4)
