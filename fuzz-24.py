# relayopt --validate --opt-level=4 --seed=24 --validate-edge --strict-fp --passes='tir.StorageFlatten' fuzz-24.py
from tvm.script import tir as T

@T.prim_func
def main(n: T.int32, A: T.Buffer((16,), "int32"), B: T.Buffer((4, 16,), "int32"), I: T.Buffer((64,), "uint8"), O: T.Buffer((64,), "uint8")):
    T.func_attr({"from_legacy_te_schedule": T.bool(True)})
    M3 = T.Buffer((4, 32), "uint8", scope="local")
    for i0 in range(1):
        with T.attr(M3, "buffer_dim_align", T.tvm_tuple(1, 5, 2)):
            with T.realize(M3[i0:i0 + 1, i0 * 3 + 2:i0 * 3 + 2 + 1], ""):
                for j1 in range(1):
                    M3[i0, i0 * 3 + 2 + j1] = T.if_then_else((j1 >= T.int32(n)), I[i0 * 8 + j1], T.Cast("uint8", T.int32((5) // 4)))
                for j2 in range(1):
                    O[i0 * 8 + j2] = M3[i0, i0 * 3 + 2 + 0 - j2]
