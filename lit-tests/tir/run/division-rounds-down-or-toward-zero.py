# The four divisions of negative integers, and division by zero at its place.
# RUN: %relayopt --run --bind=n=3 %s | FileCheck %s
# RUN: not %relayopt --run --bind=n=0 %s 2>&1 | FileCheck %s --check-prefix=ZERO
from tvm.script import tir as T

@T.prim_func
def main(n: T.int32, A: T.Buffer((4,), "int32")):
    A[0] = (0 - 7) // n
    A[1] = (0 - 7) % n
    A[2] = T.truncdiv(0 - 7, n)
    A[3] = T.truncmod(0 - 7, n)
# CHECK: {{^}}A: [-3, 2, -2, -1]{{$}}
# ZERO: [[#@LINE-5]]:5: error: division by zero [division-by-zero]
