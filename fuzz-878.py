# relayopt --validate --opt-level=4 --seed=878 --validate-edge --strict-fp --passes='tir.StorageFlatten' fuzz-878.py
from tvm.script import tir as T

@T.prim_func
def main(n: T.int32, A: T.Buffer((6, 6,), "int32"), B: T.Buffer((8, 6,), "float32"), C: T.Buffer((6, 4,), "int32"), D: T.Buffer((16, 8,), "float32"), I: T.Buffer((64,), "float32"), O: T.Buffer((64,), "float32")):
    T.func_attr({"from_legacy_te_schedule": T.bool(True)})
    C[(T.max((n) // 1, T.max(3, 5))) % 6, 1] = (T.min(C[(T.truncmod(T.max(n, n), 7)) % 6, 0], C[((T.truncdiv(n, 5)) % 7) % 6, (6) % 4]) + T.if_then_else(((n <= T.int32(n)) or (n < T.int32(4))), A[T.max(T.min(T.truncmod(n, 5), 5), 0), (T.if_then_else((n == T.int32(n)), T.Select((n > T.int32(9)), n, T.int32(n)), T.int32(n))) % 6], T.Cast("int32", T.int32(n))))
    C[(((5) % 7) // 8) % 6, (n) % 4] = T.max(C[T.max(T.min(4, 5), 0), (T.truncmod(n * 5, 7)) % 4], T.if_then_else((n <= T.int32(T.if_then_else((n >= T.int32(n)), n, T.int32(n)))), A[(T.Select((n > T.int32(n)), (n) % 2, T.int32(T.truncmod(6, 7)))) % 6, (n) % 6], A[(T.truncdiv(T.truncmod(n, 8), 5)) % 6, ((n) % 6) % 6]))
    M3 = T.Buffer((4, 32), "float32", scope="global")
    for i0 in range(2):
        with T.attr(M3, "buffer_dim_align", T.tvm_tuple(0, 2, 1)):
            with T.realize(M3[i0:i0 + 1, i0 * 3 + 0:i0 * 3 + 0 + 8], ""):
                for j1 in range(8):
                    M3[i0, i0 * 3 + 0 + j1] = I[i0 * 8 + j1]
                for j2 in range(8):
                    O[i0 * 8 + j2] = M3[i0, i0 * 3 + 0 + 7 - j2]
