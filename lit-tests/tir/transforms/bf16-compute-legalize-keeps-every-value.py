# NaN stays NaN, also one of many ones, which rounding would carry into the sign, and one of few ones, which it would cut to infinity; every other number is rounded as a conversion rounds.
# RUN: rm -rf %t && mkdir -p %t
# RUN: %relayopt --run %s -o %t/before.npz
# RUN: %relayopt --passes=tir.BF16ComputeLegalize --run %s -o %t/after.npz
# RUN: cmp %t/before.npz %t/after.npz
# RUN: %relayopt --passes=tir.BF16ComputeLegalize --run %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(B: T.Buffer((131072,), "bfloat16"), C: T.Buffer((5,), "bfloat16")):
    for i in range(131072):
        B[i] = T.Cast("bfloat16", T.reinterpret("float32", T.shift_left(T.Cast("uint32", i // 2), T.uint32(15)) - T.Cast("uint32", i % 2)))
    C[0] = T.Cast("bfloat16", T.reinterpret("float32", T.uint32(0x7FFFFFFF)))
    C[1] = T.Cast("bfloat16", T.reinterpret("float32", T.uint32(0x7F800001)))
    C[2] = T.Cast("bfloat16", T.reinterpret("float32", T.uint32(0x7F7FFFFF)))
    C[3] = T.Cast("bfloat16", T.float32("-inf"))
    C[4] = T.Cast("bfloat16", T.float32(-0.0))
# CHECK: C: [nan, nan, inf, -inf, -0]
