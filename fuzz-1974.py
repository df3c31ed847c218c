# relayopt --validate --opt-level=4 --seed=1974 --validate-edge --strict-fp --passes='tir.StorageFlatten' fuzz-1974.py
from tvm.script import tir as T

@T.prim_func
def main(n: T.int32, A: T.Buffer((8, 16,), "int8"), B: T.Buffer((8,), "float32"), I: T.Buffer((64,), "float32"), O: T.Buffer((64,), "float32")):
    T.func_attr({"from_legacy_te_schedule": T.bool(True)})
    for i0 in range(6, 12):
        with T.LetStmt((T.int32(((n + n) + (i0 - n)))) % 8) as x1:
            for i2 in T.unroll(6):
                B[n] = T.if_then_else((i2 >= T.int32(T.truncmod(x1, 3))), (B[((T.truncdiv(i2, 6) - (1) % 1)) % 8] + B[x1]), (B[1] + B[x1]))
            with T.LetStmt((T.int32(T.truncmod(T.max(n, 3), 1))) % 5) as x3:
                B[T.max(T.min(x3, 7), 0)] = T.Select((x3 > T.int32((7 - 6))), B[n], T.if_then_else((n > T.int32(x3)), B[(T.truncdiv(x3 * 5, 3)) % 8], B[T.max(T.min(((x1 + 9)) // 4, 7), 0)]))
        for i4 in range(T.min(n, 6)):
            B[T.Ramp(T.int32(((i0 - n)) % 2 * 4), 1, 4)] = B[T.Ramp(T.int32(((i0 - n)) % 2 * 4), 1, 4)] + T.Broadcast(T.if_then_else(((i0 != T.int32(3)) or (n != T.int32(6))), B[n], B[i4]), 4)
            for i5 in T.serial(3):
                B[i4] = B[T.max(T.min(2, 7), 0)]
                B[(7) % 8] = (T.Select((i0 < T.int32(T.truncdiv(n, 8))), T.float32(0.5), B[(T.Select((i5 < T.int32(5)), 4, T.int32(i0))) % 8]) * T.min(B[i5], B[i4]))
                T.evaluate(0)
        B[T.Ramp(T.int32((2) % 2 * 4), 1, 4)] = B[T.Ramp(T.int32((2) % 2 * 4), 1, 4)] + T.Broadcast(B[n], 4)
    M9 = T.Buffer((4, 32), "float32", scope="local")
    for i6 in range(2):
        with T.realize(M9[i6:i6 + 1, i6 * 1 + 1:i6 * 1 + 1 + 4], ""):
            for j7 in range(4):
                M9[i6, i6 * 1 + 1 + j7] = I[i6 * 8 + j7]
            for j8 in range(4):
                O[i6 * 8 + j8] = M9[i6, i6 * 1 + 1 + 3 - j8]
    for v10 in T.vectorized(4):
        B[v10] = T.Select(((v10 >= T.int32(v10)) or (n < T.int32(v10))), (T.float32(2.5) + T.Cast("float32", T.int32(n * 7))), T.min(T.float32(2.5), T.Cast("float32", T.int32((n - n)))))
