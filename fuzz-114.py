# relayopt --validate --opt-level=4 --seed=114 --validate-edge --strict-fp --passes='tir.StorageFlatten' fuzz-114.py
from tvm.script import tir as T

@T.prim_func
def main(n: T.int32, A: T.Buffer((16,), "int32"), B: T.Buffer((8, 4,), "float16"), C: T.Buffer((4,), "int32"), D: T.Buffer((4,), "int64"), I: T.Buffer((64,), "int8"), O: T.Buffer((64,), "int8")):
    T.func_attr({"from_legacy_te_schedule": T.bool(True)})
    M3 = T.Buffer((4, 32), "int8", scope="shared")
    for i0 in range(3):
        with T.attr(M3, "buffer_dim_align", T.tvm_tuple(0, 4, 3)):
            with T.realize(M3[i0:i0 + 1, i0 * 3 + 1:i0 * 3 + 1 + 4], ""):
                for j1 in range(4):
                    M3[i0, i0 * 3 + 1 + j1] = I[i0 * 8 + j1]
                for j2 in range(4):
                    O[i0 * 8 + j2] = M3[i0, i0 * 3 + 1 + 3 - j2]
