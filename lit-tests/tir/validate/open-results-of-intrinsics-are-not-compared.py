# The count of leading zeros of 0 is poison: elements that depend on it are not compared, and all others are.
# RUN: %relayopt %s --passes='tir.BindTarget<target=llvm>,tir.LowerIntrin' --validate --validate-edge --disable-output 2>&1 | FileCheck %s
# RUN: not %relayopt %s --passes='tir.TestPlantedFault<fault=quotient-of-sum>' --validate --validate-edge --disable-output 2>&1 | FileCheck %s --check-prefix=FAULT
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32"), C: T.Buffer((8,), "int32")):
    for i in range(8):
        B[i] = T.clz(T.bitwise_and(A[i], 1)) + 1
        C[i] = (A[i] + i) // 3
# CHECK-NOT: MISMATCH
# CHECK: 0 mismatches, 0 unchanged, 0 not validated
# FAULT: MISMATCH  main: buffer C
