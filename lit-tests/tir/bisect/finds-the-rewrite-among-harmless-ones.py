# --bisect finds the one statement of several that the guilty pass should have left alone, and its place.
# RUN: %relayopt --bisect --passes='tir.TestPlantedFault<fault=lost-guard>' %s | FileCheck %s
# Only that one is made: the other guard stays.
# RUN: %relayopt --passes='tir.TestPlantedFault<fault=lost-guard>' --debug-counter=tir.TestPlantedFault.rewrites=2 %s \
# RUN:   | FileCheck --check-prefix=ONLY %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
    for i in range(8):
        if i < 8:
            B[i] = A[i]
        if i < 4:
            B[i] = 7
# CHECK: bisect: #1 tir.TestPlantedFault changes what the module computes
# CHECK: by rewrite 2 of tir.TestPlantedFault.rewrites
# CHECK-NEXT: {{.*}}finds-the-rewrite-among-harmless-ones.py:13:12: a statement became a wrong one
# ONLY: if i < 8:
# ONLY-NOT: if
# ONLY: B[i] = 7
