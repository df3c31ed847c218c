# e4m3 has no infinity and numbers up to 448, e5m2 is a short float16; both have numbers below the smallest normal one. Tensors of them are their bits.
# RUN: %relayopt --run %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((6,), "float32"), B: T.Buffer((6,), "float32"), C: T.Buffer((4,), "e5m2_float8"), D: T.Buffer((4,), "uint8")):
    A[0] = T.Cast("float32", T.Cast("e4m3_float8", T.float32(17)))
    A[1] = T.Cast("float32", T.Cast("e4m3_float8", T.float32(19)))
    A[2] = T.Cast("float32", T.Cast("e4m3_float8", T.float32(0.003)))
    A[3] = T.Cast("float32", T.Cast("e4m3_float8", T.float32(-450)))
    A[4] = T.Cast("float32", T.Cast("e4m3_float8", T.float32(1000)))
    A[5] = T.Cast("float32", T.reinterpret("e4m3_float8", T.uint8(126)))
    B[0] = T.Cast("float32", T.Cast("e5m2_float8", T.float32(9)))
    B[1] = T.Cast("float32", T.Cast("e5m2_float8", T.float32(0.00002)))
    B[2] = T.Cast("float32", T.Cast("e5m2_float8", T.float32(-57344)))
    B[3] = T.Cast("float32", T.Cast("e5m2_float8", T.float32(100000)))
    B[4] = T.Cast("float32", T.Cast("e5m2_float8", T.float32(3)) * T.Cast("e5m2_float8", T.float32(3)))
    B[5] = T.Cast("float32", T.reinterpret("e5m2_float8", T.uint8(130)))
    for i in range(4):
        C[i] = T.Cast("e5m2_float8", i + 7)
        D[i] = T.reinterpret("uint8", C[i])
# CHECK: {{^}}A: [16, 20, 0.00390625, -448, nan, 448]
# CHECK: {{^}}B: [8, 1.5258789e-05, -57344, inf, 8, -3.0517578e-05]
# CHECK: {{^}}C: [71, 72, 72, 73]
# CHECK: {{^}}D: [71, 72, 72, 73]
