# relayopt --validate --opt-level=4 --seed=109 --validate-edge --strict-fp --passes='tir.StorageFlatten' fuzz-109.py
from tvm.script import tir as T

@T.prim_func
def main(n: T.int32, A: T.Buffer((8, 4,), "int32"), B: T.Buffer((8,), "int8"), C: T.Buffer((16, 4,), "float16"), D: T.Buffer((16,), "int32"), I: T.Buffer((64,), "int32"), O: T.Buffer((64,), "int32")):
    T.func_attr({"from_legacy_te_schedule": T.bool(True)})
    M3 = T.Buffer((4, 32), "int32", scope="global")
    for i0 in range(1):
        with T.attr(M3, "buffer_dim_align", T.tvm_tuple(1, 4, 0)):
            with T.realize(M3[i0:i0 + 1, 0:0 + 1], ""):
                for j1 in range(1):
                    M3[i0, 0 + j1] = T.if_then_else((n < T.int32(i0)), I[i0 * 8 + j1], A[(T.max((n + 9), j1)) % 8, (T.Select((n <= T.int32(0)), T.truncdiv(j1, 2), T.int32((j1 + n)))) % 4])
                for j2 in range(1):
                    O[i0 * 8 + j2] = M3[i0, 0 + 0 - j2]
    for i4 in range(5):
        D[n] = ((D[n] - A[i4, (T.truncmod(T.if_then_else((i4 != T.int32(n)), 8, T.int32(0)), 3)) % 4]) - (A[i4, (T.Select((n < T.int32(n)), (i4) % 5, T.int32(n))) % 4] + D[T.max(T.min(n * 8, 15), 0)]))
        for p5 in T.parallel(16):
            if ((p5 < T.int32(p5)) and (p5 != T.int32(i4))):
                C[p5, (T.truncdiv((4 + 9), 7)) % 4] = (T.float16(1.5) + T.if_then_else((p5 > T.int32(T.min(p5, i4))), T.Cast("float16", T.int32((p5 + 9))), T.Cast("float16", T.int32(T.truncmod(p5, 8)))))
