# Indices outside of a buffer mean the same before and after the pass.
# RUN: %relayopt --passes=tir.Simplify --validate --disable-output %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int32")):
    for i in range(8):
        A[i + 3 - 1] = B[i - 2] + i * 2 - i
# CHECK: validate: 1 pass: 1 ok ({{.*}}), 0 mismatches, 0 unchanged, 0 not validated
