# relayopt --opt-level=4 --validate --validate-edge --passes='default<tir>,tir.MakeUnpackedAPI,tir.RemoveAssume,tir.PlanAndUpdateBufferAllocationLocation' fuzz-128234.py
from tvm.script import tir as T

@T.prim_func
def main(n: T.int32, A: T.Buffer((8,), "float32"), B: T.Buffer((6,), "uint8"), C: T.Buffer((16,), "float32"), D: T.Buffer((16, 4,), "float16")):
    with T.decl_buffer((4,), "float32") as M0:
        for i1 in range(4):
            M0[i1] = T.Select(T.likely((n >= T.int32(n))), C[(T.max(i1 * 5, (i1) // 6)) % 16], C[n])
        with T.LetStmt((T.int32(T.Select((n <= T.int32(n)), T.min(n, n), T.int32((5) % 4)))) % 6) as x2:
            for i3 in range(2):
                C[T.max(T.min(((x2) % 4 + T.truncmod(n, 7)), 15), 0)] = ((M0[(n * 2) % 4] * M0[(x2 * 1) % 4]) * (A[i3] + A[x2]))
        for p4 in T.parallel(6):
            if (p4 > T.int32((p4 - 8))):
                B[p4] = T.if_then_else((p4 != T.int32(T.Select((p4 != T.int32(4)), 8, T.int32(n)))), T.min(T.Cast("uint8", T.int32(T.min(5, n))), T.Cast("uint8", T.int32(T.if_then_else((p4 == T.int32(n)), p4, T.int32(p4))))), (T.Cast("uint8", T.int32((n) % 6)) + T.Cast("uint8", T.int32(p4))))
        for v5 in T.vectorized(4):
            C[v5] = (A[T.max(T.min((5 - v5 * 1), 7), 0)] + T.Select((v5 <= T.int32(5)), A[T.max(T.min(6, 7), 0)], A[v5]))
    for i6 in range(2):
        if (n <= T.int32(7)):
            for i7 in range(6, 12):
                B[(T.max(T.max(i7, 7), T.Select((n == T.int32(8)), i7, T.int32(i6)))) % 6] = (T.max(B[i6], B[i6]) - (B[i6] - B[T.max(T.min((T.max(n, i6) + (n) // 7), 5), 0)]))
            D[(((n - i6)) // 8) % 16, i6] = (T.if_then_else(((n >= T.int32(2)) or (i6 <= T.int32(i6))), D[n, i6], T.float16(1.5)) * (D[i6, i6] - D[i6, (i6) % 4]))
        else:
            for p8 in T.parallel(6):
                B[p8] = (T.Select(((n < T.int32(i6)) or (n >= T.int32(i6))), T.Cast("uint8", T.int32((n - p8))), T.Cast("uint8", T.int32(p8))) + (T.Cast("uint8", T.int32(T.Select((p8 < T.int32(n)), p8, T.int32(n)))) - T.Cast("uint8", T.int32(T.Select((i6 > T.int32(n)), n, T.int32(4))))))
            C[(n) % 16] = T.if_then_else((i6 <= T.int32(i6 * 4)), T.min(C[(n * 8) % 16], A[4]), T.if_then_else((n <= T.int32(T.Select((n <= T.int32(i6)), 4, T.int32(9)))), C[n], C[(T.truncdiv(0, 7)) % 16]))
    for i9 in range(6):
        for i10 in range(T.min(i9, 6)):
            for i11 in range(5, 10):
                C[i9] = C[(T.max(i11 * 2, (i11 - n))) % 16]
                C[i9] = T.Select((i11 < T.int32(T.if_then_else((i9 != T.int32(i11)), 5, T.int32(3)))), T.min(A[(T.max(T.min(n, i9), n)) % 8], C[n]), (T.Cast("float32", T.int32(T.max(n, n))) + A[i10]))
                D[i9, (T.if_then_else((i11 > T.int32(i10)), T.if_then_else((i10 <= T.int32(i9)), i10, T.int32(i9)), T.int32(T.min(i11, 1)))) % 4] = T.Select((i9 < T.int32(T.truncdiv(i10, 5))), (D[i10, 0] - D[i9, (T.Select((i10 != T.int32(i10)), i11, T.int32((6 + i9)))) % 4]), (D[14, 0] + T.float16(2.5)))
        with T.LetStmt((T.int32(T.truncmod(i9, 6))) % 6) as x12:
            C[i9] = ((T.float32(1.5) + C[n]) + (C[i9] - T.Cast("float32", T.int32((1 - i9)))))
            for i13, k14 in T.grid(16, 3):
                with T.block("block15"):
                    vi13, vk14 = T.axis.remap("SR", [i13, k14])
                    T.where(i13 < n)
                    T.reads()
                    T.writes(C[vi13])
                    with T.init():
                        C[vi13] = T.Cast("float32", 0)
                    C[vi13] = C[vi13] + A[((T.if_then_else((x12 > T.int32(5)), n, T.int32(vk14))) // 6) % 8]
            B[T.Ramp(T.int32(((i9) % 6) % 1 * 4), 1, 4)] = T.Broadcast(T.Cast("uint8", T.int32(4)), 4)
        for p16 in T.parallel(16):
            C[p16] = T.max((T.float32(3.5) + A[5]), T.max(A[(T.truncdiv(i9, 5)) % 8], A[n]))
