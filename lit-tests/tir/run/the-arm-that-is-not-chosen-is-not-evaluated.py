# A condition guards what it decides: arms of if_then_else and Select, the right side of `and`.
# RUN: %relayopt --run %s | FileCheck %s
# RUN: sed 's/i < 3/i < 4/' %s > %t.py
# RUN: not %relayopt --run %t.py 2>&1 | FileCheck %s --check-prefix=BEHIND
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int32")):
    for i in range(4):
        A[i] = T.if_then_else(i > 0, 12 // i, -1)
    for i in range(4):
        B[i] = T.Select(i < 3, A[i + 1], 0)
        if i < 3 and A[i + 1] > 5:
            B[i] = 100
# CHECK: {{^}}A: [-1, 12, 6, 4]{{$}}
# CHECK: {{^}}B: [100, 100, 4, 0]{{$}}
# BEHIND: error: index 4 of axis 0 of A is outside of [0, 4) [out-of-bounds]
