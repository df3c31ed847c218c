# relayopt --validate --opt-level=4 --seed=140 --validate-edge --strict-fp --passes='tir.StorageFlatten' fuzz-140.py
from tvm.script import tir as T

@T.prim_func
def main(n: T.int32, A: T.Buffer((8, 4,), "float16"), B: T.Buffer((4, 6,), "int8"), C: T.Buffer((4,), "float32"), D: T.Buffer((4,), "float16"), I: T.Buffer((64,), "uint8"), O: T.Buffer((64,), "uint8")):
    T.func_attr({"from_legacy_te_schedule": T.bool(True)})
    with T.launch_thread("blockIdx.x", 1) as b0:
        with T.decl_buffer((4,), "float32", scope="shared") as S2:
            with T.launch_thread("threadIdx.x", 4) as t1:
                S2[t1] = (T.float32(1.5) + T.float32(2.5))
                T.tvm_storage_sync("shared")
                C[b0 * 4 + t1] = (T.tanh(T.float32(1.5)) + (T.float32(3.5) * S2[(T.truncdiv(1, 2)) % 4]))
    for v3 in T.vectorized(4):
        C[v3] = (T.max(T.Cast("float32", T.int32(T.max(n, v3))), T.float32(2.5)) - T.float32(1.5))
    M7 = T.Buffer((4, 32), "uint8", scope="shared")
    for i4 in range(1):
        with T.realize(M7[i4:i4 + 1, i4 * 2 + 0:i4 * 2 + 0 + 3], ""):
            for j5 in range(3):
                M7[i4, i4 * 2 + 0 + j5] = T.if_then_else((j5 == T.int32(n)), I[i4 * 8 + j5], T.Cast("uint8", T.int32(T.max(i4, n))))
            for j6 in range(3):
                O[i4 * 8 + j6] = M7[i4, i4 * 2 + 0 + 2 - j6]
