# A loop that has no iterations where the condition does not hold needs no condition; one that has some keeps it.
# RUN: %relayopt --passes=tir.ReduceBranchingThroughOvercompute %s | FileCheck %s
# RUN: %relayopt --passes=tir.ReduceBranchingThroughOvercompute --validate --disable-output %s 2>&1 | FileCheck --check-prefix=VALID %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "int32"), n: T.int32):
    if n > 0:
        for i in range(n):
            A[i] = 1
        for i in range(n - 1):
            A[i] = A[i] + 1
    if n <= 0:
        T.evaluate(0)
    else:
        for i in range(n):
            A[i] = A[i] + 2
    if n > 1:
        for i in range(n):
            A[i] = A[i] + 3
# CHECK:      for i in range(n):
# CHECK-NEXT:     A[i] = 1
# CHECK-NEXT: for i in range(n - 1):
# CHECK-NEXT:     A[i] = A[i] + 1
# CHECK-NEXT: for i in range(n):
# CHECK-NEXT:     A[i] = A[i] + 2
# CHECK-NEXT: if n > 1:
# CHECK-NEXT:     for i in range(n):
# CHECK-NEXT:         A[i] = A[i] + 3
# VALID: validate: 1 pass: 1 ok
