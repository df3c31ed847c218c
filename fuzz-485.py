# relayopt --validate --opt-level=4 --seed=485 --validate-edge --strict-fp --passes='tir.StorageFlatten' fuzz-485.py
from tvm.script import tir as T

@T.prim_func
def main(n: T.int32, A: T.Buffer((16,), "int32"), B: T.Buffer((16, 6,), "float32"), I: T.Buffer((64,), "int8"), O: T.Buffer((64,), "int8")):
    T.func_attr({"from_legacy_te_schedule": T.bool(True)})
    M3 = T.Buffer((4, 32), "int8", scope="local")
    for i0 in range(1):
        with T.realize(M3[i0:i0 + 1, i0 * 1 + 1:i0 * 1 + 1 + 3], ""):
            for j1 in range(3):
                M3[i0, i0 * 1 + 1 + j1] = T.if_then_else((n <= T.int32(n)), I[i0 * 8 + j1], T.Cast("int8", T.int32(T.truncdiv(0, 5))))
            for j2 in range(3):
                O[i0 * 8 + j2] = M3[i0, i0 * 1 + 1 + 2 - j2]
    B[n, (T.min((n) // 4, (n + n))) % 6] = (B[n, (((n - n)) // 6) % 6] + T.Select((n <= T.int32((n) % 5)), B[n, (n * 5) % 6], B[(T.min(n, (n) // 1)) % 16, ((T.truncmod(n, 2)) // 6) % 6]))
