# relayopt --validate --opt-level=4 --seed=916 --validate-edge --strict-fp --passes='tir.StorageFlatten' fuzz-916.py
from tvm.script import tir as T

@T.prim_func
def main(n: T.int32, A: T.Buffer((16, 6,), "float16"), B: T.Buffer((4, 6,), "uint8"), I: T.Buffer((64,), "uint8"), O: T.Buffer((64,), "uint8")):
    T.func_attr({"from_legacy_te_schedule": T.bool(True)})
    M3 = T.Buffer((4, 32), "uint8", scope="shared")
    for i0 in range(1):
        with T.realize(M3[i0:i0 + 1, 2:2 + 1], ""):
            for j1 in range(1):
                M3[i0, 2 + j1] = I[i0 * 8 + j1] + T.max(T.Cast("uint8", T.int32(T.max(i0, j1))), T.Cast("uint8", T.int32((8 + n))))
            for j2 in range(1):
                O[i0 * 8 + j2] = M3[i0, 2 + 0 - j2]
