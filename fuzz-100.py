# relayopt --validate --opt-level=4 --seed=100 --validate-edge --strict-fp --passes='tir.StorageFlatten' fuzz-100.py
from tvm.script import tir as T

@T.prim_func
def main(n: T.int32, A: T.Buffer((6,), "int32"), B: T.Buffer((6,), "uint8"), C: T.Buffer((8,), "float32"), D: T.Buffer((4, 6,), "float32"), I: T.Buffer((64,), "int64"), O: T.Buffer((64,), "int64")):
    T.func_attr({"from_legacy_te_schedule": T.bool(True)})
    M3 = T.Buffer((4, 32), "int64", scope="global")
    for i0 in range(4):
        with T.attr(M3, "buffer_dim_align", T.tvm_tuple(1, 7, 3)):
            with T.realize(M3[i0:i0 + 1, 0:0 + 3], ""):
                for j1 in range(3):
                    M3[i0, 0 + j1] = T.max(I[i0 * 8 + j1], T.Cast("int64", T.int32(i0)))
                for j2 in range(3):
                    O[i0 * 8 + j2] = M3[i0, 0 + 2 - j2]
    D[(n) % 4, (T.truncdiv(n, 4)) % 6] = D[((7) // 3) % 4, 3]
    C[n] = (T.if_then_else(((n == T.int32(n)) or (n < T.int32(n))), D[((n * 1 + (n) // 6)) % 4, ((T.Select((n != T.int32(n)), n, T.int32(n))) % 4) % 6], D[((T.truncmod(n, 3) + T.min(n, n))) % 4, T.max(T.min(n, 5), 0)]) - (D[3, T.max(T.min(n, 5), 0)] + C[n]))
    D[(((n + n) - T.truncmod(n, 3))) % 4, 4] = ((D[(T.truncmod((n) // 2, 2)) % 4, ((T.truncmod(n, 4) + n)) % 6] + D[(T.truncdiv(4, 4)) % 4, 1]) - T.sigmoid(C[n]))
