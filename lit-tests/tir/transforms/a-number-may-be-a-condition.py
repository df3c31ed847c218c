# `if i:` and `while A[0]:` ask whether a number is not 0; passes reason with that.
# RUN: %relayopt %s | FileCheck %s
# RUN: %relayopt --passes='default<tir>' --validate=each --disable-output %s 2>&1 | FileCheck %s --check-prefix=VALID
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "int32")):
    for i in range(10):
        if i:
            A[i - 1] = A[i - 1] + 1
        else:
            A[i] = 1
    while A[0]:
        A[0] = 0
# CHECK: if i:
# CHECK: while A[0]:
# VALID: validate: {{.*}} 0 mismatches
