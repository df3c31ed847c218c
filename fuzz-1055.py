# relayopt --validate --opt-level=4 --seed=1055 --validate-edge --strict-fp --passes='tir.StorageFlatten' fuzz-1055.py
from tvm.script import tir as T

@T.prim_func
def main(n: T.int32, A: T.Buffer((4, 8,), "uint8"), B: T.Buffer((4, 16,), "int64"), C: T.Buffer((8,), "float16"), D: T.Buffer((6, 4,), "float32"), I: T.Buffer((64,), "float16"), O: T.Buffer((64,), "float16")):
    T.func_attr({"from_legacy_te_schedule": T.bool(True)})
    M3 = T.Buffer((4, 32), "float16", scope="global")
    for i0 in range(3):
        with T.realize(M3[i0:i0 + 1, i0 * 3 + 1:i0 * 3 + 1 + 4], ""):
            for j1 in range(4):
                M3[i0, i0 * 3 + 1 + j1] = I[i0 * 8 + j1] + T.if_then_else((j1 != T.int32((7) // 8)), T.float16(1.5), T.float16(3.5))
            for j2 in range(4):
                O[i0 * 8 + j2] = M3[i0, i0 * 3 + 1 + 3 - j2]
