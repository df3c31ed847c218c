# A box for each loop, a node for each statement in it.
# RUN: %relayopt --emit=dot %s | FileCheck %s
# RUN: %relayopt --emit=mermaid %s | FileCheck --check-prefix=CHART %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int32")):
    for i in range(4):
        if i < 3:
            B[i] = A[i]
    B[3] = 0
# CHECK:      label="def main(A: T.Buffer((4,), \"int32\"), B: T.Buffer((4,), \"int32\")):"
# CHECK:      label="for i in range(4):"
# CHECK:      label="if i < 3:"
# CHECK-NEXT: n0 [label="B[i] = A[i]"
# CHECK:      n0 -> n1
# CHART:      subgraph f1["for i in range(4):"]
