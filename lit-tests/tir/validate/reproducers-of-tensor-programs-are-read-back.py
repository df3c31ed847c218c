# The header of a reproducer is a comment of the text that it is in front of.
# RUN: %relayopt --passes=tir.Simplify --generate-reproducer=%t.py %s | FileCheck %s
# RUN: FileCheck %s --check-prefix=FILE < %t.py
# RUN: %relayopt --run-reproducer=%t.py | FileCheck %s
# RUN: sed 's/^# relayopt-reproducer/# reproducer/' %t.py > %t-other.py
# RUN: not %relayopt --run-reproducer=%t-other.py 2>&1 | FileCheck %s --check-prefix=NONE
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4,), "int32")):
    A[0] = T.Add(1, 1)
# CHECK: A[0] = 2
# FILE:      # relayopt-reproducer v1
# FILE-NEXT: # tool: relayopt
# FILE-NEXT: # passes: tir.Simplify
# FILE:      A[0] = T.Add(1, 1)
# NONE: error: --run-reproducer: {{.*}} is not a reproducer
