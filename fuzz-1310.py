# relayopt --validate --opt-level=4 --seed=1310 --validate-edge --strict-fp --passes='tir.StorageFlatten' fuzz-1310.py
from tvm.script import tir as T

@T.prim_func
def main(n: T.int32, A: T.Buffer((6, 16,), "uint8"), B: T.Buffer((8,), "int32"), I: T.Buffer((64,), "int8"), O: T.Buffer((64,), "int8")):
    T.func_attr({"from_legacy_te_schedule": T.bool(True)})
    B[n] = T.if_then_else((n == T.int32(n)), T.if_then_else(((n > T.int32(n)) or (n != T.int32(2))), B[(T.if_then_else((n >= T.int32(n)), T.min(n, n), T.int32((n) // 2))) % 8], B[(T.truncmod(T.Select((n != T.int32(n)), n, T.int32(n)), 4)) % 8]), B[((T.if_then_else((n > T.int32(n)), 6, T.int32(n))) // 7) % 8])
    M3 = T.Buffer((4, 32), "int8", scope="global")
    for i0 in range(2):
        with T.realize(M3[i0:i0 + 1, i0 * 2 + 1:i0 * 2 + 1 + 8], ""):
            for j1 in range(8):
                M3[i0, i0 * 2 + 1 + j1] = T.if_then_else((n == T.int32(i0)), I[i0 * 8 + j1], T.Cast("int8", T.int32(T.if_then_else((n != T.int32(j1)), j1, T.int32(i0)))))
            for j2 in range(8):
                O[i0 * 8 + j2] = M3[i0, i0 * 2 + 1 + 7 - j2]
