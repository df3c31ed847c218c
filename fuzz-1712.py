# relayopt --validate --opt-level=4 --seed=1712 --validate-edge --strict-fp --passes='tir.StorageFlatten' fuzz-1712.py
from tvm.script import tir as T

@T.prim_func
def main(n: T.int32, A: T.Buffer((4,), "int64"), B: T.Buffer((6, 4,), "float32"), I: T.Buffer((64,), "int64"), O: T.Buffer((64,), "int64")):
    T.func_attr({"from_legacy_te_schedule": T.bool(True)})
    B[T.max(T.min((T.min(n, 6) - n * 4), 5), 0), (T.truncdiv(T.Select((n >= T.int32(n)), 4, T.int32(9)), 3)) % 4] = ((B[T.max(T.min(((1 + 4) - n), 5), 0), 1] - B[4, (T.truncdiv(T.max(n, 7), 8)) % 4]) * T.max(B[4, ((T.max(5, 5) + n * 6)) % 4], T.float32(2.5)))
    M3 = T.Buffer((4, 32), "int64", scope="global")
    for i0 in range(1):
        with T.attr(M3, "buffer_dim_align", T.tvm_tuple(1, 2, 1)):
            with T.realize(M3[i0:i0 + 1, i0 * 1 + 0:i0 * 1 + 0 + 1], ""):
                for j1 in range(1):
                    M3[i0, i0 * 1 + 0 + j1] = I[i0 * 8 + j1] + T.if_then_else((j1 < T.int32((j1) // 7)), A[(T.Select((n == T.int32(j1)), 8, T.int32(T.Select((j1 == T.int32(n)), n, T.int32(i0))))) % 4], A[(i0) % 4])
                for j2 in range(1):
                    O[i0 * 8 + j2] = M3[i0, i0 * 1 + 0 + 0 - j2]
    for i4 in T.serial(T.min(n, 6)):
        for i5 in range(T.min(i4, 6)):
            B[i4, T.max(T.min(T.max(T.Select((i4 < T.int32(n)), 3, T.int32(i4)), T.if_then_else((n != T.int32(i5)), i5, T.int32(i4))), 3), 0)] = (T.Select(((i5 == T.int32(i4)) or (i5 >= T.int32(1))), B[1, 0], B[i5, 0]) + (B[i5, (T.if_then_else((i5 >= T.int32(0)), 5, T.int32(T.min(n, 8)))) % 4] + B[T.max(T.min(i5 * 2, 5), 0), T.max(T.min(5, 3), 0)]))
    B[0, ((T.max(n, n) + T.truncdiv(n, 1))) % 4] = T.min(B[T.max(T.min(T.truncdiv(T.truncdiv(n, 5), 1), 5), 0), (T.max(7, T.truncdiv(n, 5))) % 4], (B[(T.Select((n != T.int32(n)), n * 7, T.int32(T.max(9, 9)))) % 6, T.max(T.min((T.if_then_else((n < T.int32(n)), 5, T.int32(0))) // 3, 3), 0)] + B[1, (T.min(T.min(n, n), n)) % 4]))
