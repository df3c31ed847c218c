# relayopt --validate --opt-level=4 --seed=141 --validate-edge --strict-fp --passes='tir.StorageFlatten' fuzz-141.py
from tvm.script import tir as T

@T.prim_func
def main(n: T.int32, A: T.Buffer((8,), "int32"), B: T.Buffer((16, 16,), "float32"), I: T.Buffer((64,), "float16"), O: T.Buffer((64,), "float16")):
    T.func_attr({"from_legacy_te_schedule": T.bool(True)})
    B[n, n] = ((B[n, n] + T.Cast("float32", T.int32(T.max(1, 2)))) - T.Select((n != T.int32(n * 2)), B[10, n], B[(T.truncmod(T.truncmod(7, 6), 1)) % 16, n]))
    B[n, n] = (T.min(B[(n) % 16, n], B[n, n]) + (B[(T.max(n * 7, T.truncmod(n, 7))) % 16, (T.truncmod((n + n), 8)) % 16] - B[n, (T.min((4) // 1, n)) % 16]))
    M3 = T.Buffer((4, 32), "float16", scope="local")
    for i0 in range(4):
        with T.attr(M3, "buffer_dim_align", T.tvm_tuple(1, 1, 3)):
            with T.realize(M3[i0:i0 + 1, i0 * 3 + 2:i0 * 3 + 2 + 3], ""):
                for j1 in range(3):
                    M3[i0, i0 * 3 + 2 + j1] = I[i0 * 8 + j1]
                for j2 in range(3):
                    O[i0 * 8 + j2] = M3[i0, i0 * 3 + 2 + 2 - j2]
