# Only the mark goes; with the option the loop is cut.
# RUN: %relayopt --passes=tir.LoopPartition %s | FileCheck %s
# RUN: %relayopt '--passes=tir.LoopPartition<partition_const_loop=true>' %s | FileCheck --check-prefix=CUT %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((64,), "float32")):
    for i in range(64):
        if T.likely(i < 50):
            A[i] = T.float32(0)
# CHECK:      for i in range(64):
# CHECK-NEXT:   if i < 50:
# CUT:        for i in range(50):
# CUT-NEXT:     if T.bool(True):
# CUT:        for i in range(14):
# CUT-NEXT:     if T.bool(False):
