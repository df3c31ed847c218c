# relayopt --validate --opt-level=4 --seed=1098 --validate-edge --strict-fp --passes='tir.StorageFlatten' fuzz-1098.py
from tvm.script import tir as T

@T.prim_func
def main(n: T.int32, A: T.Buffer((8,), "float16"), B: T.Buffer((4, 16,), "int32"), C: T.Buffer((16, 4,), "int64"), D: T.Buffer((6, 6,), "uint8"), I: T.Buffer((64,), "float32"), O: T.Buffer((64,), "float32")):
    T.func_attr({"from_legacy_te_schedule": T.bool(True)})
    M3 = T.Buffer((4, 32), "float32", scope="shared")
    for i0 in range(4):
        with T.realize(M3[i0:i0 + 1, 2:2 + 4], ""):
            for j1 in range(4):
                M3[i0, 2 + j1] = I[i0 * 8 + j1] + (T.float32(2.5) + T.float32(1.5))
            for j2 in range(4):
                O[i0 * 8 + j2] = M3[i0, 2 + 3 - j2]
