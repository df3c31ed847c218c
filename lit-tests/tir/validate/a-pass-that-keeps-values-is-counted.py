# Every PrimFunc that a pass changes runs before and after it.
# RUN: %relayopt --validate --passes=tir.UnrollLoop,tir.Simplify --disable-output %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
    for i in T.unroll(4):
        B[i] = A[3 - i] * T.float32(2)
# CHECK: validate: 2 passes: 2 ok (1 bit-exact), 0 mismatches, 0 unchanged, 0 not validated
