# A loop and its pieces are cut as often as conditions can change; the conditions that are left stay.
# RUN: %relayopt --passes=tir.LoopPartition --validate %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(B: T.Buffer((9, 9), "int32")):
    for m in range(9):
        for n in range(9):
            for i in range(m, m + 16):
                if T.likely(i - m + n * 4 != 14):
                    B[n, 0] = B[n, 0] * 3 + i
# CHECK:      for m, n in T.grid(9, 9):
# CHECK-NEXT:   for i in range({{.*}}):
# CHECK-NEXT:     if i + m - m + n * 4 != 14:
# CHECK:        for i in range({{.*}}):
# CHECK-NEXT:     if T.bool(False):
# CHECK:        for i in range({{.*}}):
# CHECK-NOT:    for
