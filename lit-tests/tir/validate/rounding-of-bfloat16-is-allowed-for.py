# A float32 that bfloat16 numbers are computed for may become more precise: as much as rounding to bfloat16 decides.
# RUN: %relayopt --passes=tir.BF16ComputeLegalize --validate --disable-output %s 2>&1 | FileCheck %s
from tvm.script import tir as T


@T.prim_func
def main(A: T.Buffer((16,), "bfloat16"), B: T.Buffer((16,), "bfloat16"), D: T.Buffer((16,), "float32")):
    # CHECK: 1 ok (0 bit-exact), 0 mismatches, 0 unchanged, 0 not validated
    for i in range(16):
        v: T.bfloat16 = (A[i] - B[i]) * T.exp(A[i])
        D[i] = T.Cast("float32", v + A[i]) - T.Cast("float32", A[i])
