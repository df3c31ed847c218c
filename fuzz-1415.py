# relayopt --validate --opt-level=4 --seed=1415 --validate-edge --strict-fp --passes='tir.StorageFlatten' fuzz-1415.py
from tvm.script import tir as T

@T.prim_func
def main(n: T.int32, A: T.Buffer((4, 6,), "float16"), B: T.Buffer((4,), "float32"), C: T.Buffer((6, 4,), "int64"), D: T.Buffer((6,), "float16"), I: T.Buffer((64,), "float16"), O: T.Buffer((64,), "float16")):
    T.func_attr({"from_legacy_te_schedule": T.bool(True)})
    if ((n < T.int32(n)) and (n == T.int32(n))):
        with T.LetStmt((T.int32(n)) % 7) as x0:
            for i1 in T.unroll(1):
                C[i1, i1] = T.Cast("int64", T.int32(T.truncmod(8, 3)))
                B[(n) % 4] = (T.max(B[i1], B[T.max(T.min(T.if_then_else((x0 >= T.int32(i1)), 9, T.int32(T.max(n, n))), 3), 0)]) + (B[i1] - B[1]))
            for i2 in range(6):
                C[(n) % 6, T.max(T.min(T.truncmod(n, 5), 3), 0)] = T.max(T.if_then_else(((i2 > T.int32(n)) and (n <= T.int32(0))), C[i2, (T.truncdiv(T.truncdiv(x0, 3), 5)) % 4], C[i2, 2]), (T.Cast("int64", T.int32((n) // 6)) + C[i2, (T.truncdiv(T.if_then_else((x0 < T.int32(n)), i2, T.int32(3)), 6)) % 4]))
                C[i2, (5) % 4] = T.min(T.Select((n == T.int32(T.min(n, i2))), T.Cast("int64", T.int32((i2 + x0))), C[((i2 + (i2) // 3)) % 6, (((x0 + i2)) // 4) % 4]), (T.Cast("int64", T.int32((i2) // 7)) + T.Cast("int64", T.int32(T.Select((i2 >= T.int32(n)), i2, T.int32(2))))))
                C[(i2) % 6, ((T.truncmod(i2, 5) + i2)) % 4] = (T.if_then_else((x0 > T.int32((x0) % 5)), C[T.max(T.min((n) // 1, 5), 0), (x0 * 2) % 4], C[(T.min(T.truncdiv(x0, 5), T.if_then_else((i2 < T.int32(i2)), n, T.int32(7)))) % 6, 3]) + T.if_then_else((x0 != T.int32(2)), C[(T.Select((i2 < T.int32(i2)), i2 * 5, T.int32(T.truncdiv(x0, 2)))) % 6, T.max(T.min(T.min((5) // 5, (i2) % 7), 3), 0)], T.Cast("int64", T.int32(T.max(x0, n)))))
        for p3 in T.parallel(6):
            D[p3] = T.min(T.Select((n < T.int32(T.Select((p3 > T.int32(n)), 5, T.int32(n)))), T.float16(2.5), T.Cast("float16", T.int32(p3))), T.fabs(A[(T.truncdiv(T.truncmod(n, 1), 1)) % 4, p3]))
        for p4 in T.parallel(6):
            if (n > T.int32((p4 + p4))):
                C[p4, (T.if_then_else((n <= T.int32(n)), p4 * 7, T.int32(p4))) % 4] = T.min((T.Cast("int64", T.int32(T.truncdiv(n, 3))) - T.Cast("int64", T.int32(7))), T.max(T.Cast("int64", T.int32(n * 7)), T.Cast("int64", T.int32((p4) // 6))))
    M8 = T.Buffer((4, 32), "float16", scope="local")
    for i5 in range(2):
        with T.attr(M8, "buffer_dim_align", T.tvm_tuple(0, 4, 2)):
            with T.realize(M8[i5:i5 + 1, i5 * 3 + 2:i5 * 3 + 2 + 8], ""):
                for j6 in range(8):
                    M8[i5, i5 * 3 + 2 + j6] = T.max(I[i5 * 8 + j6], A[2, i5])
                for j7 in range(8):
                    O[i5 * 8 + j7] = M8[i5, i5 * 3 + 2 + 7 - j7]
