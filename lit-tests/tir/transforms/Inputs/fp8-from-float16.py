from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((2, 256), "float16"), B: T.Buffer((65536,), "e4m3_float8"), C: T.Buffer((65536,), "e5m2_float8"), D: T.Buffer((2, 65536), "float16")):
    for i in range(256):
        a: T.float16 = T.Cast("float16", T.reinterpret("e4m3_float8", T.Cast("uint8", i)))
        A[0, i] = T.if_then_else(T.isnan(a), T.float16(0.3), a)
        b: T.float16 = T.Cast("float16", T.reinterpret("e5m2_float8", T.Cast("uint8", i)))
        A[1, i] = T.if_then_else(T.isnan(b), T.float16(0.3), b)
    for i in range(65536):
        x: T.float16 = T.reinterpret("float16", T.Cast("uint16", i))
        # NaN may keep its other bits.
        y: T.float16 = T.if_then_else(T.isnan(x), T.float16("nan"), x)
        B[i] = T.Cast("e4m3_float8", y)
        C[i] = T.Cast("e5m2_float8", y)
    for i in range(65536):
        c: T.float16 = T.Cast("float16", B[i])
        D[0, i] = T.if_then_else(T.isnan(c), T.float16(0.3), c)
        d: T.float16 = T.Cast("float16", C[i])
        D[1, i] = T.if_then_else(T.isnan(d), T.float16(0.3), d)
