# Every float of 8 bits keeps its value: infinities, NaN, zeros, and those below the smallest normal one. Every float32 with few digits, and its neighbours, are rounded as a conversion rounds.
# RUN: rm -rf %t && mkdir -p %t
# RUN: %relayopt --run %s -o %t/before.npz
# RUN: %relayopt --passes=tir.FP8ComputeLegalize --run %s -o %t/after.npz
# RUN: cmp %t/before.npz %t/after.npz
# RUN: %relayopt --passes='tir.FP8ComputeLegalize<promote_dtype_str=float64>' --run %s -o %t/double.npz
# RUN: cmp %t/before.npz %t/double.npz
# RUN: %relayopt --passes='tir.FP8ComputeLegalize<promote_dtype_str=float16>' --run %S/Inputs/fp8-from-float16.py -o %t/half.npz
# RUN: %relayopt --run %S/Inputs/fp8-from-float16.py -o %t/wanted.npz
# RUN: cmp %t/half.npz %t/wanted.npz
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((2, 256), "float32"), B: T.Buffer((32768,), "e4m3_float8"), C: T.Buffer((32768,), "e5m2_float8"), D: T.Buffer((2, 32768), "float32"), E: T.Buffer((4,), "e4m3_float8"), F: T.Buffer((4,), "float32")):
    for i in range(256):
        a: T.float32 = T.Cast("float32", T.reinterpret("e4m3_float8", T.Cast("uint8", i)))
        A[0, i] = T.if_then_else(T.isnan(a), T.float32(0.3), a)
        b: T.float32 = T.Cast("float32", T.reinterpret("e5m2_float8", T.Cast("uint8", i)))
        A[1, i] = T.if_then_else(T.isnan(b), T.float32(0.3), b)
    for i in range(32768):
        # One more than the bits of a tie, and as many less.
        B[i] = T.Cast("e4m3_float8", T.reinterpret("float32", T.shift_left(T.Cast("uint32", i // 2), T.uint32(18)) - T.Cast("uint32", i % 2)))
        C[i] = T.Cast("e5m2_float8", T.reinterpret("float32", T.shift_left(T.Cast("uint32", i // 2), T.uint32(18)) - T.Cast("uint32", i % 2)))
    for i in range(32768):
        c: T.float32 = T.Cast("float32", B[i])
        D[0, i] = T.if_then_else(T.isnan(c), T.float32(0.3), c)
        d: T.float32 = T.Cast("float32", C[i])
        D[1, i] = T.if_then_else(T.isnan(d), T.float32(0.3), d)
    E[0:4] = T.Broadcast(T.e4m3_float8("nan"), 4)
    F[0:4] = T.Select(T.Cast("float32x4", E[0:4]) == T.Cast("float32x4", E[0:4]), T.Broadcast(T.float32(1), 4), T.Broadcast(T.float32(0.3), 4))
