# A free extent becomes a small number with which the program runs: n is a multiple of 16 here.
# RUN: %relayopt --validate --passes=tir.Simplify --disable-output %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(a: T.handle, b: T.handle):
    n = T.int32()
    A = T.match_buffer(a, (n,), "float32")
    B = T.match_buffer(b, (n,), "float32")
    assert n % 16 == 0, "multiples of 16 only"
    for i, j in T.grid(n // 16, 16):
        B[i * 16 + T.Mul(j, 1)] = A[i * 16 + j]
# CHECK: validate: 1 pass: 1 ok (0 bit-exact), 0 mismatches, 0 unchanged, 0 not validated
