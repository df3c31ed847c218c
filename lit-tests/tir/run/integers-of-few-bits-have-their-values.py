# Made-up integers of one bit are 0 and 1, as TVM's, with a sign or without; the largest and smallest ones of each width are made, too.
# RUN: %relayopt --run %s | FileCheck %s
# RUN: %relayopt --validate --passes=tir.Simplify,tir.FlattenBuffer -o /dev/null %s 2>&1 | FileCheck %s --check-prefix=SAME
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((32,), "int1"), B: T.Buffer((32,), "uint1"), C: T.Buffer((32,), "int2"), D: T.Buffer((2, 16), "uint64"), E: T.Buffer((6,), "int32")):
    for i in range(6):
        E[i] = 0
    for i in range(32):
        E[0] = T.min(E[0], T.Cast("int32", A[i]))
        E[1] = T.max(E[1], T.Cast("int32", A[i]))
        E[2] = T.min(E[2], T.Cast("int32", B[i]))
        E[3] = T.max(E[3], T.Cast("int32", B[i]))
        E[4] = T.min(E[4], T.Cast("int32", C[i]))
        E[5] = T.max(E[5], T.Cast("int32", C[i]))
    for i, j in T.grid(2, 16):
        D[i, j] = D[i, j] + T.uint64(0) * T.uint64(3)
# CHECK: E: [0, 1, 0, 1, -2, 1]
# SAME: 0 mismatches
