# relayopt --validate --opt-level=4 --seed=547 --validate-edge --strict-fp --passes='tir.StorageFlatten' fuzz-547.py
from tvm.script import tir as T

@T.prim_func
def main(n: T.int32, A: T.Buffer((6,), "int32"), B: T.Buffer((8, 4,), "float32"), C: T.Buffer((8,), "int32"), I: T.Buffer((64,), "int32"), O: T.Buffer((64,), "int32")):
    T.func_attr({"from_legacy_te_schedule": T.bool(True)})
    with T.launch_thread("blockIdx.x", 2) as b0:
        with T.decl_buffer((4,), "int32", scope="shared") as S2:
            with T.launch_thread("threadIdx.x", 4) as t1:
                S2[t1] = A[b0]
                T.tvm_storage_sync("shared")
                C[b0 * 4 + t1] = T.min(T.min(S2[t1], A[(b0 * 5) % 6]), T.max(S2[t1], T.Cast("int32", T.int32((n) // 5))))
    for p3 in T.parallel(8):
        if T.likely((p3 >= T.int32(p3))):
            B[p3, T.max(T.min((T.truncmod(p3, 1) - (p3 + n)), 3), 0)] = (T.if_then_else(((n >= T.int32(n)) and (n == T.int32(4))), T.Cast("float32", T.int32((p3 - p3))), T.Cast("float32", T.int32(T.truncmod(2, 2)))) * T.float32(1.5))
    M7 = T.Buffer((4, 32), "int32", scope="shared")
    for i4 in range(4):
        with T.realize(M7[i4:i4 + 1, i4 * 1 + 0:i4 * 1 + 0 + 4], ""):
            for j5 in range(4):
                M7[i4, i4 * 1 + 0 + j5] = I[i4 * 8 + j5] + T.min(A[j5], A[(((9 - 1) + T.if_then_else((n <= T.int32(i4)), i4, T.int32(n)))) % 6])
            for j6 in range(4):
                O[i4 * 8 + j6] = M7[i4, i4 * 1 + 0 + 3 - j6]
    C[n] = (T.if_then_else(T.likely((n >= T.int32(n))), C[n], C[n]) + (C[n] - A[(T.truncdiv(n, 6)) % 6]))
