# relayopt --validate --opt-level=4 --seed=1384 --validate-edge --strict-fp --passes='tir.StorageFlatten' fuzz-1384.py
from tvm.script import tir as T

@T.prim_func
def main(n: T.int32, A: T.Buffer((4, 4,), "int8"), B: T.Buffer((8,), "uint8"), I: T.Buffer((64,), "int32"), O: T.Buffer((64,), "int32")):
    T.func_attr({"from_legacy_te_schedule": T.bool(True)})
    M3 = T.Buffer((4, 32), "int32", scope="local")
    for i0 in range(1):
        with T.realize(M3[i0:i0 + 1, i0 * 2 + 2:i0 * 2 + 2 + 1], ""):
            for j1 in range(1):
                M3[i0, i0 * 2 + 2 + j1] = I[i0 * 8 + j1] + T.Cast("int32", T.int32(T.truncmod(j1, 8)))
            for j2 in range(1):
                O[i0 * 8 + j2] = M3[i0, i0 * 2 + 2 + 0 - j2]
