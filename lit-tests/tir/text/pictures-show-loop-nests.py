# A box for each loop, a node for each buffer and statement in it, and edges along which data flows.
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
# CHECK:      [[A:n[0-9]+]] [label="A"
# CHECK:      [[ZERO:n[0-9]+]] [label="B[3] = 0"
# CHECK:      [[RESULT:n[0-9]+]] [label="B"
# CHECK:      label="for i in range(4):"
# CHECK:      label="if i < 3:"
# CHECK-NEXT: [[COPY:n[0-9]+]] [label="B[i] = A[i]"
# CHECK:      [[A]] -> [[COPY]]
# CHECK:      [[COPY]] -> [[ZERO]]
# CHECK:      [[ZERO]] -> [[RESULT]]
# CHART:      subgraph f1["for i in range(4):"]
