# relayopt --validate --opt-level=4 --seed=149 --validate-edge --strict-fp --passes='tir.StorageFlatten' fuzz-149.py
from tvm.script import tir as T

@T.prim_func
def main(n: T.int32, A: T.Buffer((16, 6,), "int64"), B: T.Buffer((8,), "float32"), C: T.Buffer((16, 4,), "float16"), D: T.Buffer((8,), "int32"), I: T.Buffer((64,), "int8"), O: T.Buffer((64,), "int8")):
    T.func_attr({"from_legacy_te_schedule": T.bool(True)})
    M3 = T.Buffer((4, 32), "int8", scope="shared")
    for i0 in range(2):
        with T.attr(M3, "buffer_dim_align", T.tvm_tuple(0, 8, 0)):
            with T.realize(M3[i0:i0 + 1, i0 * 2 + 0:i0 * 2 + 0 + 3], ""):
                for j1 in range(3):
                    M3[i0, i0 * 2 + 0 + j1] = T.if_then_else((i0 <= T.int32(n)), I[i0 * 8 + j1], T.Cast("int8", T.int32(T.truncmod(j1, 7))))
                for j2 in range(3):
                    O[i0 * 8 + j2] = M3[i0, i0 * 2 + 0 + 2 - j2]
