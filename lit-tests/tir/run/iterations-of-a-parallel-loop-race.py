# Iterations of a parallel loop may not depend on one another; a serial loop may.
# RUN: not %relayopt --run %s 2>&1 | FileCheck %s
# RUN: sed 's/T.parallel/range/' %s > %t.py
# RUN: %relayopt --run %t.py | FileCheck %s --check-prefix=SERIAL
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4,), "int32")):
    A[0] = 1
    for i in T.parallel(3):
        A[i + 1] = A[i] + 1
# CHECK: [[#@LINE-1]]:9: error: read of element 1 of A, which another thread or iteration writes without a barrier in between [data-race]
# SERIAL: {{^}}A: [1, 2, 3, 4]{{$}}
