# relayopt --validate --opt-level=4 --seed=1331 --validate-edge --strict-fp --passes='tir.StorageFlatten' fuzz-1331.py
from tvm.script import tir as T

@T.prim_func
def main(n: T.int32, A: T.Buffer((4, 4,), "int64"), B: T.Buffer((4,), "int32"), C: T.Buffer((6,), "uint8"), I: T.Buffer((64,), "int64"), O: T.Buffer((64,), "int64")):
    T.func_attr({"from_legacy_te_schedule": T.bool(True)})
    M3 = T.Buffer((4, 32), "int64", scope="local")
    for i0 in range(2):
        with T.realize(M3[i0:i0 + 1, 2:2 + 4], ""):
            for j1 in range(4):
                M3[i0, 2 + j1] = I[i0 * 8 + j1] + T.max(A[(j1) % 4, (i0) % 4], A[(T.max((6) % 8, T.truncmod(n, 3))) % 4, i0])
            for j2 in range(4):
                O[i0 * 8 + j2] = M3[i0, 2 + 3 - j2]
