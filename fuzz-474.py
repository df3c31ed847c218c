# relayopt --validate --opt-level=4 --seed=474 --validate-edge --strict-fp --passes='tir.StorageFlatten' fuzz-474.py
from tvm.script import tir as T

@T.prim_func
def main(n: T.int32, A: T.Buffer((4,), "int64"), B: T.Buffer((8, 16,), "int64"), I: T.Buffer((64,), "int64"), O: T.Buffer((64,), "int64")):
    T.func_attr({"from_legacy_te_schedule": T.bool(True)})
    with T.decl_buffer((8,), "int8") as M0:
        for i1 in range(8):
            M0[i1] = (T.Cast("int8", T.int32(n)) + T.Cast("int8", T.int32(i1)))
        with T.decl_buffer((8,), "int32") as M2:
            for i3 in range(8):
                M2[i3] = T.if_then_else(((i3 == T.int32(n)) and (n > T.int32(n))), T.Cast("int32", T.int32(T.truncdiv(n, 3))), T.Cast("int32", T.int32(T.min(9, i3))))
            M0[T.max(T.min((n + T.truncmod(n, 6)), 7), 0)] = ((T.Cast("int8", T.int32(T.max(3, 5))) + M0[((n * 6) // 4) % 8]) - (M0[n] + M0[n]))
    B[6, 5] = T.Select(((n == T.int32(n)) or (n <= T.int32(n))), T.max(B[n, n], B[T.max(T.min(T.Select((n != T.int32(n)), n * 4, T.int32(n)), 7), 0), (n) % 16]), A[(T.if_then_else((n < T.int32(7)), (n) % 6, T.int32(T.if_then_else((n >= T.int32(n)), n, T.int32(n))))) % 4])
    M7 = T.Buffer((4, 32), "int64", scope="local")
    for i4 in range(4):
        with T.attr(M7, "buffer_dim_align", T.tvm_tuple(0, 7, 2)):
            with T.realize(M7[i4:i4 + 1, i4 * 3 + 0:i4 * 3 + 0 + 8], ""):
                for j5 in range(8):
                    M7[i4, i4 * 3 + 0 + j5] = I[i4 * 8 + j5]
                for j6 in range(8):
                    O[i4 * 8 + j6] = M7[i4, i4 * 3 + 0 + 7 - j6]
    for i8 in T.serial(2, 4):
        if ((i8 >= T.int32(n)) and (n >= T.int32(n))):
            with T.decl_buffer((8,), "float16") as M9:
                for i10 in range(8):
                    M9[i10] = T.Cast("float16", T.int32(T.if_then_else((n >= T.int32(i10)), i8, T.int32(i10))))
                B[n, ((T.Select((i8 > T.int32(5)), 6, T.int32(i8))) % 8) % 16] = (A[i8] - T.if_then_else(T.likely((i8 < T.int32(5))), A[i8], A[i8]))
