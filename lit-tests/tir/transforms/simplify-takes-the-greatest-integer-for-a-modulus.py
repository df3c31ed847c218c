# The greatest integer is a modulus like any other.
# RUN: %relayopt --passes=tir.Simplify --validate %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(B: T.Buffer((2,), "int64"), n: T.int64):
    B[0] = n % T.int64(9223372036854775807)
    B[1] = n % T.int64(9223372036854775806)
# CHECK:      B[0] = n % T.int64(9223372036854775807)
# CHECK-NEXT: B[1] = n % T.int64(9223372036854775806)
