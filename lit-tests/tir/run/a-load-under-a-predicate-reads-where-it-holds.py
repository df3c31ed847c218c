# ptx_ldg32 leaves its place alone where its condition does not hold, and reads nothing there.
# RUN: %relayopt --run %s | FileCheck %s
# RUN: sed 's/0 < i/i < 4/' %s > %t.py && not %relayopt --run %t.py 2>&1 | FileCheck %s --check-prefix=OUTSIDE
from tvm.script import tir as T

@T.prim_func
def main(B: T.Buffer((4,), "float32")):
    A = T.decl_buffer((4,))
    for i in range(4):
        A[i] = T.Cast("float32", i + 1)
    for i in range(4):
        B[i] = T.float32(0)
        T.ptx_ldg32(B.data, 0 < i, A[i - 1], i)
# CHECK: {{^}}B: [0, 1, 2, 3]
# OUTSIDE: error: index -1 of axis 0 of A is outside of [0, 4)
