# relayopt --validate --opt-level=4 --seed=454 --validate-edge --strict-fp --passes='tir.StorageFlatten' fuzz-454.py
from tvm.script import tir as T

@T.prim_func
def main(n: T.int32, A: T.Buffer((16,), "int32"), B: T.Buffer((8,), "uint8"), C: T.Buffer((4, 16,), "int64"), I: T.Buffer((64,), "int32"), O: T.Buffer((64,), "int32")):
    T.func_attr({"from_legacy_te_schedule": T.bool(True)})
    with T.decl_buffer((8,), "float16") as M0:
        for i1 in range(8):
            M0[i1] = T.max(T.Cast("float16", T.int32(n * 1)), T.float16(3.5))
        for i2 in range(T.min(n, 6)):
            B[n] = T.if_then_else((i2 <= T.int32(T.truncdiv(i2, 4))), T.max(B[n], T.Cast("uint8", T.int32(T.truncdiv(7, 5)))), B[n])
        for i3 in T.unroll(2):
            for p4 in T.parallel(8):
                B[p4] = (T.min(T.Cast("uint8", T.int32(p4)), T.Cast("uint8", T.int32(T.if_then_else((n >= T.int32(i3)), p4, T.int32(n))))) + T.Select(((i3 >= T.int32(n)) or (p4 <= T.int32(p4))), T.Cast("uint8", T.int32(i3)), T.Cast("uint8", T.int32(i3))))
    M8 = T.Buffer((4, 32), "int32", scope="global")
    for i5 in range(4):
        with T.attr(M8, "buffer_dim_align", T.tvm_tuple(0, 5, 3)):
            with T.realize(M8[i5:i5 + 1, i5 * 1 + 2:i5 * 1 + 2 + 1], ""):
                for j6 in range(1):
                    M8[i5, i5 * 1 + 2 + j6] = T.if_then_else((n != T.int32(1)), I[i5 * 8 + j6], T.Cast("int32", T.int32(T.min(n, n))))
                for j7 in range(1):
                    O[i5 * 8 + j7] = M8[i5, i5 * 1 + 2 + 0 - j7]
    with T.LetStmt((T.int32(n)) % 4) as x9:
        B[x9] = ((B[x9] + B[n]) - T.max(T.Cast("uint8", T.int32((x9 - 4))), B[T.max(T.min(T.truncmod(n * 8, 5), 7), 0)]))
        C[0, (x9) % 16] = T.if_then_else(T.likely((x9 >= T.int32(n))), C[x9, n], C[x9, (T.truncdiv((x9 + 6), 4)) % 16])
