# In the inner loop 0 < i. Behind it nothing says so: it may not have run.
# RUN: %relayopt '--passes=tir.Simplify<transitively_prove_inequalities=true>' --validate %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4,), "int32")):
    for i in range(4):
        for j in range(i):
            if i == 0:
                A[j] = 3
            A[j] = A[j] + 2
        if i == 0:
            A[0] = A[0] + 1
# CHECK: for j in range(i):
# CHECK-NEXT: A[j] = A[j] + 2
# CHECK-NEXT: if i == 0:
# CHECK-NEXT: A[0] = A[0] + 1
