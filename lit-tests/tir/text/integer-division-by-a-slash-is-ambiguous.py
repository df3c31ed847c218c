# The slash divides floats only.
# RUN: not %relayopt %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "int32"), i: T.int32):
    A[0] = i / 2
# CHECK: error: TVM supports multiple types of integer divisions
