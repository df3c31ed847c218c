# RUN: %relayopt --passes=tir.FP8ComputeLegalize %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((4,), "e4m3_float8"), C: T.Buffer((4,), "e4m3_float8")):
    C[0:4] = A[0:4] + A[0:4]
    C[0] = A[0] + A[1]
# CHECK: C[0:4] = T.reinterpret("e4m3_float8x4", T.Cast("uint8x4", T.bitwise_or(T.Select(
# CHECK: C[0] = T.reinterpret("e4m3_float8", T.Cast("uint8", T.bitwise_or(T.Select(
