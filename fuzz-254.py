# relayopt --validate --opt-level=4 --seed=254 --validate-edge --strict-fp --passes='tir.StorageFlatten' fuzz-254.py
from tvm.script import tir as T

@T.prim_func
def main(n: T.int32, A: T.Buffer((6,), "float32"), B: T.Buffer((8,), "int8"), I: T.Buffer((64,), "int8"), O: T.Buffer((64,), "int8")):
    T.func_attr({"from_legacy_te_schedule": T.bool(True)})
    with T.decl_buffer((4,), "float32") as M0:
        for i1 in range(4):
            M0[i1] = T.min(A[i1], A[(n) % 6])
        M0[T.Ramp(T.int32((T.max(n, n)) % 1 * 4), 1, 4)] = M0[T.Ramp(T.int32((T.max(n, n)) % 1 * 4), 1, 4)] + T.Broadcast((M0[(n) % 4] * M0[2]), 4)
        for v2 in T.vectorized(4):
            M0[v2] = (T.min(A[T.max(T.min((T.max(1, n)) // 6, 5), 0)], A[((6 + v2)) % 6]) - (T.float32(3.5) + A[v2]))
        with T.LetStmt((T.int32(T.max((n) // 6, T.min(n, n)))) % 5) as x3:
            for i4 in T.serial(6):
                B[x3] = ((T.Cast("int8", T.int32(T.truncdiv(8, 8))) + B[(T.min((6 + n), 6)) % 8]) - T.max(B[T.max(T.min(i4, 7), 0)], B[(x3) % 8]))
                M0[0] = T.fabs(T.if_then_else((i4 >= T.int32(n * 3)), A[x3], A[(i4) % 6]))
    with T.launch_thread("blockIdx.x", 2) as b5:
        with T.decl_buffer((4,), "int8", scope="shared") as S7:
            with T.launch_thread("threadIdx.x", 4) as t6:
                S7[t6] = (T.Cast("int8", T.int32(2)) + T.Cast("int8", T.int32((0) % 7)))
                T.tvm_storage_sync("shared")
                B[b5 * 4 + t6] = (T.min(S7[t6], S7[t6]) + T.max(S7[b5], S7[1]))
    if (n != T.int32(n * 3)):
        for v8 in T.vectorized(4):
            B[v8] = T.max(T.Cast("int8", T.int32(T.truncdiv(3, 3))), (T.Cast("int8", T.int32((v8) // 8)) + T.Cast("int8", T.int32(T.Select((v8 <= T.int32(n)), v8, T.int32(v8))))))
        with T.LetStmt((T.int32(3)) % 8) as x9:
            for i10 in T.unroll(6):
                B[n] = T.if_then_else(((i10 < T.int32(x9)) and (i10 <= T.int32(x9))), (B[((T.max(i10, x9)) % 2) % 8] + B[7]), (B[n] - B[i10]))
                B[(T.truncdiv(T.if_then_else((n != T.int32(1)), n, T.int32(i10)), 1)) % 8] = (T.max(B[x9], B[x9]) + (B[0] - B[(T.max(T.Select((n <= T.int32(n)), 3, T.int32(9)), (x9) // 2)) % 8]))
        if ((n < T.int32(2)) or (n > T.int32(n))):
            with T.decl_buffer((8,), "int32") as M11:
                for i12 in range(8):
                    M11[i12] = T.min(T.Cast("int32", T.int32(T.Select((i12 < T.int32(n)), 5, T.int32(i12)))), T.Cast("int32", T.int32((n) % 8)))
                B[n] = T.Select((n >= T.int32((1 - 3))), T.max(T.Cast("int8", T.int32((n - n))), B[(T.max(T.if_then_else((n > T.int32(n)), n, T.int32(2)), T.min(n, n))) % 8]), B[T.max(T.min((T.truncdiv(4, 6)) % 5, 7), 0)])
                B[n] = B[n]
            B[n] = T.min(T.if_then_else((n >= T.int32(T.truncdiv(n, 5))), B[n], B[(T.min((n - 9), T.Select((n > T.int32(n)), n, T.int32(8)))) % 8]), T.max(B[T.max(T.min(n, 7), 0)], B[T.max(T.min(T.if_then_else((n <= T.int32(5)), T.max(n, 7), T.int32(T.min(n, n))), 7), 0)]))
        else:
            with T.decl_buffer((4,), "float32") as M13:
                for i14 in range(4):
                    M13[i14] = (A[i14] - A[i14])
                M13[(T.truncdiv(T.max(n, 3), 3)) % 4] = ((M13[((T.min(n, 7) + T.if_then_else((n <= T.int32(5)), n, T.int32(n)))) % 4] + A[T.max(T.min(T.Select((n > T.int32(0)), (n + 1), T.int32((n) % 5)), 5), 0)]) + M13[(T.truncmod(n * 8, 8)) % 4])
                B[(T.truncmod(T.truncmod(n, 3), 1)) % 8] = ((B[(5) % 8] + B[n]) - (B[n] + B[(T.truncdiv((n) % 3, 2)) % 8]))
                B[n] = ((B[2] - B[(n * 8) % 8]) - B[n])
            B[n] = T.Select(T.likely((n >= T.int32(n))), (B[n] + B[(T.max((3) // 7, T.max(n, 3))) % 8]), (B[n] + B[(n) % 8]))
            for i15 in range(5):
                B[n] = T.min(B[n], T.min(B[T.max(T.min(T.min(i15, 6), 7), 0)], B[i15]))
                B[i15] = B[(n * 8) % 8]
                B[2] = T.if_then_else(((i15 == T.int32(5)) or (i15 > T.int32(i15))), B[i15], T.Select((i15 == T.int32(T.truncmod(i15, 7))), B[n], B[((T.min(i15, n) + T.truncmod(n, 2))) % 8]))
    M19 = T.Buffer((4, 32), "int8", scope="shared")
    for i16 in range(1):
        with T.realize(M19[i16:i16 + 1, i16 * 3 + 0:i16 * 3 + 0 + 1], ""):
            for j17 in range(1):
                M19[i16, i16 * 3 + 0 + j17] = I[i16 * 8 + j17]
            for j18 in range(1):
                O[i16 * 8 + j18] = M19[i16, i16 * 3 + 0 + 0 - j18]
