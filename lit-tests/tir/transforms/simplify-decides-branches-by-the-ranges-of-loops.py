# The condition always holds, and the index has a simpler form; the loop stays.
# RUN: %relayopt --passes=tir.Simplify %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")):
    for i in range(8):
        if i < 10:
            A[(i * 4 + 3) // 4] = B[i]
# CHECK:      for i in range(8):
# CHECK-NEXT:   A[i] = B[i]
