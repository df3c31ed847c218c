# relayopt --validate --opt-level=4 --seed=516 --validate-edge --strict-fp --passes='tir.StorageFlatten' fuzz-516.py
from tvm.script import tir as T

@T.prim_func
def main(n: T.int32, A: T.Buffer((6, 8,), "uint8"), B: T.Buffer((8,), "float16"), C: T.Buffer((4, 8,), "int8"), D: T.Buffer((8,), "int64"), I: T.Buffer((64,), "float16"), O: T.Buffer((64,), "float16")):
    T.func_attr({"from_legacy_te_schedule": T.bool(True)})
    for p0 in T.parallel(8):
        B[p0] = (T.max(T.float16(2.5), T.float16(2.5)) + T.Select((p0 < T.int32(T.min(1, p0))), T.float16(3.5), T.float16(3.5)))
    for p1 in T.parallel(8):
        if T.likely((p1 == T.int32(4))):
            B[p1] = T.Cast("float16", T.int32(p1))
    B[((T.max(n, n)) % 7) % 8] = (T.Cast("float16", T.int32(T.min(n, n))) + T.if_then_else(((n != T.int32(n)) and (n >= T.int32(n))), B[4], B[((n - T.min(n, 2))) % 8]))
    M5 = T.Buffer((4, 32), "float16", scope="shared")
    for i2 in range(4):
        with T.realize(M5[i2:i2 + 1, 0:0 + 8], ""):
            for j3 in range(8):
                M5[i2, 0 + j3] = T.max(I[i2 * 8 + j3], T.float16(2.5))
            for j4 in range(8):
                O[i2 * 8 + j4] = M5[i2, 0 + 7 - j4]
