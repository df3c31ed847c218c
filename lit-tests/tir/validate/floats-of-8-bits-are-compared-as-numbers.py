# Legalized computing takes 8-bit floats below the smallest normal number for zero or for another small one: such differences, and -0 for 0, are allowed for; larger ones are not.
# RUN: %relayopt --passes=tir.FP8ComputeLegalize --validate=strict --disable-output %s --seed=1 2>&1 | FileCheck %s
# RUN: %relayopt --passes=tir.FP8ComputeLegalize --validate=strict --disable-output %s --seed=2 2>&1 | FileCheck %s
# RUN: rm -rf %t && mkdir -p %t && cd %t
# RUN: not %relayopt --passes='tir.TestMiscompile,tir.FP8ComputeLegalize' --validate=final --disable-output %s 2>&1 | FileCheck --check-prefix=WRONG %s
from tvm.script import tir as T


@T.prim_func
def main(A: T.Buffer((64,), "e4m3_float8"), B: T.Buffer((64,), "e5m2_float8"), C: T.Buffer((64,), "e4m3_float8"), D: T.Buffer((64,), "e5m2_float8")):
    for i in range(64):
        C[i] = T.min(A[i], A[0]) + A[i] * T.e4m3_float8(0)
        D[i] = B[i] * B[63 - i] + B[i]


# CHECK: 1 ok (0 bit-exact), 0 mismatches
# WRONG: MISMATCH  main: buffer {{[CD]}}
