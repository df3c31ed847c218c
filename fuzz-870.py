# relayopt --validate --opt-level=4 --seed=870 --validate-edge --strict-fp --passes='tir.StorageFlatten' fuzz-870.py
from tvm.script import tir as T

@T.prim_func
def main(n: T.int32, A: T.Buffer((8, 8,), "float32"), B: T.Buffer((8,), "int64"), C: T.Buffer((4, 4,), "float32"), I: T.Buffer((64,), "float16"), O: T.Buffer((64,), "float16")):
    T.func_attr({"from_legacy_te_schedule": T.bool(True)})
    M3 = T.Buffer((4, 32), "float16", scope="shared")
    for i0 in range(1):
        with T.realize(M3[i0:i0 + 1, i0 * 1 + 0:i0 * 1 + 0 + 8], ""):
            for j1 in range(8):
                M3[i0, i0 * 1 + 0 + j1] = I[i0 * 8 + j1]
            for j2 in range(8):
                O[i0 * 8 + j2] = M3[i0, i0 * 1 + 0 + 7 - j2]
