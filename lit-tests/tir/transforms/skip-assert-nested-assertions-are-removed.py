# Assertions inside of loops, branches and other assertions go, too.
# RUN: %relayopt --passes=tir.SkipAssert --validate %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "int32"), n: T.int32):
    for i in range(16):
        assert i < 16, "i"
        if n == 4:
            assert n < 16, "n"
            assert n < 15, "n"
            A[i] = n
# CHECK:      for i in range(16):
# CHECK-NEXT:     if n == 4:
# CHECK-NEXT:         A[i] = n
