# What nobody defines gets a value: the program is compared by what is in that memory, too.
# RUN: %relayopt --validate --passes=tir.Simplify --disable-output %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func(private=True)
def main(n: T.int32):
    A = T.Buffer((16,), "int32")
    if n < n + 1:
        A[n + 0] = A[n] * T.int32(2)
# CHECK: validate: 1 pass: 1 ok (0 bit-exact), 0 mismatches, 0 unchanged, 0 not validated
