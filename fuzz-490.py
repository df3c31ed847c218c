# relayopt --validate --opt-level=4 --seed=490 --validate-edge --strict-fp --passes='tir.StorageFlatten' fuzz-490.py
from tvm.script import tir as T

@T.prim_func
def main(n: T.int32, A: T.Buffer((8, 4,), "uint8"), B: T.Buffer((8, 4,), "int32"), C: T.Buffer((4, 6,), "float32"), I: T.Buffer((64,), "float32"), O: T.Buffer((64,), "float32")):
    T.func_attr({"from_legacy_te_schedule": T.bool(True)})
    B[n, (n * 5) % 4] = (T.max(B[(T.min(T.Select((n >= T.int32(n)), n, T.int32(8)), T.truncdiv(n, 8))) % 8, 0], B[n, T.max(T.min((T.min(9, 0)) // 5, 3), 0)]) - (B[n, 0] - B[n, 0]))
    B[T.max(T.min(2, 7), 0), (((n - n)) // 2) % 4] = T.Select(((n != T.int32(9)) and (n < T.int32(n))), (B[n, 2] + B[n, (T.truncdiv((n) // 3, 2)) % 4]), (B[(n) % 8, 0] + B[(9) % 8, ((T.max(n, n) - (n) % 4)) % 4]))
    M3 = T.Buffer((4, 32), "float32", scope="shared")
    for i0 in range(3):
        with T.attr(M3, "buffer_dim_align", T.tvm_tuple(0, 6, 0)):
            with T.realize(M3[i0:i0 + 1, i0 * 2 + 1:i0 * 2 + 1 + 1], ""):
                for j1 in range(1):
                    M3[i0, i0 * 2 + 1 + j1] = I[i0 * 8 + j1]
                for j2 in range(1):
                    O[i0 * 8 + j2] = M3[i0, i0 * 2 + 1 + 0 - j2]
