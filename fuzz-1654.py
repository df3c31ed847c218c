# relayopt --validate --opt-level=4 --seed=1654 --validate-edge --strict-fp --passes='tir.StorageFlatten' fuzz-1654.py
from tvm.script import tir as T

@T.prim_func
def main(n: T.int32, A: T.Buffer((4, 8,), "float32"), B: T.Buffer((8,), "float32"), C: T.Buffer((4,), "int8"), D: T.Buffer((8,), "uint8"), I: T.Buffer((64,), "float32"), O: T.Buffer((64,), "float32")):
    T.func_attr({"from_legacy_te_schedule": T.bool(True)})
    with T.launch_thread("blockIdx.x", 1) as b0:
        with T.decl_buffer((4,), "int8", scope="shared") as S2:
            with T.launch_thread("threadIdx.x", 4) as t1:
                S2[t1] = (T.Cast("int8", T.int32((b0) % 8)) - T.Cast("int8", T.int32(T.max(b0, b0))))
                T.tvm_storage_sync("shared")
                if (t1 <= T.int32(T.min(t1, 4))):
                    C[b0 * 4 + t1] = T.Select((t1 > T.int32((n - t1))), S2[t1], T.max(S2[b0], S2[(1) % 4]))
    M6 = T.Buffer((4, 32), "float32", scope="global")
    for i3 in range(3):
        with T.attr(M6, "buffer_dim_align", T.tvm_tuple(0, 8, 0)):
            with T.realize(M6[i3:i3 + 1, i3 * 1 + 0:i3 * 1 + 0 + 8], ""):
                for j4 in range(8):
                    M6[i3, i3 * 1 + 0 + j4] = T.max(I[i3 * 8 + j4], A[i3, (T.Select((i3 >= T.int32(9)), (6 - j4), T.int32(1))) % 8])
                for j5 in range(8):
                    O[i3 * 8 + j5] = M6[i3, i3 * 1 + 0 + 7 - j5]
    with T.launch_thread("blockIdx.x", 2) as b7:
        with T.decl_buffer((4,), "uint8", scope="shared") as S9:
            with T.launch_thread("threadIdx.x", 4) as t8:
                S9[t8] = (T.Cast("uint8", T.int32((n + b7))) + T.Cast("uint8", T.int32(T.truncmod(b7, 7))))
                T.tvm_storage_sync("shared")
                D[b7 * 4 + t8] = T.min((T.Cast("uint8", T.int32(T.truncmod(b7, 2))) + T.Cast("uint8", T.int32(t8))), T.Cast("uint8", T.int32(T.Select((t8 <= T.int32(b7)), t8, T.int32(t8)))))
