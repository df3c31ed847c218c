# The rest of a division by 1 is 0, and the functions are called all the same.
# RUN: %relayopt --passes=tir.Simplify %s | FileCheck %s
# RUN: %relayopt --passes=tir.Simplify --validate=each --disable-output %s 2>&1 | FileCheck %s --check-prefix=VALID
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4,), "int32")):
    A[0] = T.FloorMod(T.call_extern("int32", "put"), 1)
    if T.FloorMod(T.call_extern("int32", "get"), 1) == 1:
        A[1] = T.FloorMod(A[0], 1)
# CHECK:      A[0] = T.FloorMod(T.call_extern("int32", "put"), 1)
# CHECK-NEXT: if T.FloorMod(T.call_extern("int32", "get"), 1) == 1:
# CHECK-NEXT:   A[1] = 0
# VALID: validate: {{.*}} 0 mismatches
