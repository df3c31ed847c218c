# relayopt --validate --opt-level=4 --seed=499 --validate-edge --strict-fp --passes='tir.StorageFlatten' fuzz-499.py
from tvm.script import tir as T

@T.prim_func
def main(n: T.int32, A: T.Buffer((4, 4,), "int64"), B: T.Buffer((4, 6,), "int64"), I: T.Buffer((64,), "float16"), O: T.Buffer((64,), "float16")):
    T.func_attr({"from_legacy_te_schedule": T.bool(True)})
    M3 = T.Buffer((4, 32), "float16", scope="local")
    for i0 in range(3):
        with T.attr(M3, "buffer_dim_align", T.tvm_tuple(1, 7, 1)):
            with T.realize(M3[i0:i0 + 1, i0 * 3 + 0:i0 * 3 + 0 + 8], ""):
                for j1 in range(8):
                    M3[i0, i0 * 3 + 0 + j1] = T.if_then_else((j1 > T.int32(i0)), I[i0 * 8 + j1], T.Cast("float16", T.int32((3 - i0))))
                for j2 in range(8):
                    O[i0 * 8 + j2] = M3[i0, i0 * 3 + 0 + 7 - j2]
