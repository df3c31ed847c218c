# Floor divisions and remainders of floats that the plain constructors make print with these, since the operators refuse floats.
# RUN: %relayopt --verify-roundtrip %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4,), "float32"), B: T.Buffer((2,), "int32")):
    A[0] = T.FloorDiv(A[1], T.float32(2))
    A[1] = T.FloorMod(A[1], T.float32(2))
    A[2] = T.Mod(A[1], T.float32(2))
    B[0] = T.FloorDiv(B[1], 2)
# CHECK: A[0] = T.FloorDiv(A[1], T.float32(2))
# CHECK-NEXT: A[1] = T.FloorMod(A[1], T.float32(2))
# CHECK-NEXT: A[2] = T.Mod(A[1], T.float32(2))
# CHECK-NEXT: B[0] = B[1] // 2
