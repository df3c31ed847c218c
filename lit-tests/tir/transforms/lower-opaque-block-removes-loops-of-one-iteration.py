# The variable is replaced and nothing folds; a loop with annotations stays, pragmas become attributes.
# RUN: %relayopt --passes=tir.LowerOpaqueBlock %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((16,), "int32")):
    for i in range(1):
        for j in T.serial(1, annotations={"pragma_unroll_explicit": 1, "note": 2}):
            A[i + j] = j
# CHECK:      T.attr(j, "pragma_unroll_explicit", 1)
# CHECK-NEXT: for j in T.serial(1, annotations={"note": 2}):
# CHECK-NEXT:   A[T.Add(0, j)] = j
