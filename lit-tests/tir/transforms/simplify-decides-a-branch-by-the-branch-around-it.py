# A condition that is known only through the conditions around it decides its branch.
# RUN: %relayopt --passes=tir.Simplify --validate %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "int32")):
    for i in range(8):
        c: T.bool = i < 3
        if c:
            if c:
                A[i] = 1
            else:
                A[i] = 2
        else:
            if c:
                A[i] = 3
            else:
                A[i] = 4
# CHECK-NOT: T.bool(True)
# CHECK-NOT: A[i] = 2
# CHECK-NOT: A[i] = 3
