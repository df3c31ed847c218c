# relayopt --validate --opt-level=4 --seed=360 --validate-edge --strict-fp --passes='tir.StorageFlatten' fuzz-360.py
from tvm.script import tir as T

@T.prim_func
def main(n: T.int32, A: T.Buffer((16,), "float32"), B: T.Buffer((6, 6,), "float32"), I: T.Buffer((64,), "int8"), O: T.Buffer((64,), "int8")):
    T.func_attr({"from_legacy_te_schedule": T.bool(True)})
    with T.LetStmt((T.int32(((n) // 8) // 2)) % 3) as x0:
        with T.decl_buffer((8,), "int64") as M1:
            for i2 in range(8):
                M1[i2] = (T.Cast("int64", T.int32((x0 - 6))) - T.Cast("int64", T.int32(T.truncdiv(7, 3))))
            with T.decl_buffer((4,), "int64") as M3:
                for i4 in range(4):
                    M3[i4] = T.Select(((i4 <= T.int32(i4)) and (x0 > T.int32(n))), M1[i4], M1[i4])
                B[x0, 2] = T.fabs(T.min(A[x0], B[x0, (x0) % 6]))
                B[x0, 4] = T.if_then_else((x0 == T.int32(T.truncdiv(x0, 1))), T.if_then_else((n > T.int32(T.Select((n >= T.int32(3)), x0, T.int32(x0)))), A[n], A[((T.min(2, n)) // 2) % 16]), (T.float32(3.5) + A[(n) % 16]))
                M1[x0] = T.min((M1[x0] + M3[(6) % 4]), T.max(M1[(x0) % 8], T.Cast("int64", T.int32(x0))))
            if ((x0 > T.int32(8)) and (x0 != T.int32(n))):
                B[x0, x0] = T.exp((B[x0, x0] * B[T.max(T.min(T.if_then_else((x0 >= T.int32(n)), T.truncdiv(x0, 4), T.int32(6)), 5), 0), 4]))
                B[(x0) % 6, x0] = (T.Select(((x0 == T.int32(9)) or (n > T.int32(2))), B[x0, x0], A[5]) + A[T.max(T.min((T.if_then_else((n >= T.int32(n)), n, T.int32(x0))) // 7, 15), 0)])
                B[x0, ((n - (n + x0))) % 6] = ((A[n] + A[x0]) + (B[(x0) % 6, x0] * B[x0, x0]))
            else:
                M1[n] = T.min(M1[((T.truncmod(7, 8)) % 2) % 8], T.min(M1[x0], M1[((x0 + n)) % 8]))
                M1[x0] = T.min((M1[T.max(T.min(T.Select((n >= T.int32(n)), x0 * 8, T.int32((n) // 3)), 7), 0)] - M1[n]), T.min(M1[(T.Select((x0 < T.int32(n)), x0, T.int32((n) % 4))) % 8], M1[(T.Select((n == T.int32(n)), (n) // 5, T.int32((n) % 1))) % 8]))
                M1[T.max(T.min(T.Select((n <= T.int32(6)), T.truncdiv(n, 3), T.int32(T.Select((x0 > T.int32(8)), 0, T.int32(n)))), 7), 0)] = T.if_then_else((x0 < T.int32(T.Select((n != T.int32(n)), x0, T.int32(n)))), (M1[n] + M1[5]), M1[(T.truncmod(T.Select((x0 != T.int32(n)), n, T.int32(x0)), 2)) % 8])
            for i5 in range(3):
                M1[i5] = T.min(T.min(T.Cast("int64", T.int32(T.min(i5, x0))), T.Cast("int64", T.int32(T.truncmod(n, 5)))), T.if_then_else(((x0 <= T.int32(6)) or (i5 >= T.int32(i5))), M1[x0], M1[i5]))
        for i6 in T.unroll(4):
            B[i6, i6] = A[i6]
        for i7 in T.serial(4):
            for p8 in T.parallel(6):
                B[p8, p8] = T.Select((n < T.int32((x0 - p8))), (T.Cast("float32", T.int32((p8 - 0))) + A[p8]), A[0])
    M12 = T.Buffer((4, 32), "int8", scope="local")
    for i9 in range(3):
        with T.attr(M12, "buffer_dim_align", T.tvm_tuple(0, 5, 0)):
            with T.realize(M12[i9:i9 + 1, i9 * 2 + 0:i9 * 2 + 0 + 3], ""):
                for j10 in range(3):
                    M12[i9, i9 * 2 + 0 + j10] = I[i9 * 8 + j10] + T.Cast("int8", T.int32((n - j10)))
                for j11 in range(3):
                    O[i9 * 8 + j11] = M12[i9, i9 * 2 + 0 + 2 - j11]
