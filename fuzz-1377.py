# relayopt --validate --opt-level=4 --seed=1377 --validate-edge --strict-fp --passes='tir.StorageFlatten' fuzz-1377.py
from tvm.script import tir as T

@T.prim_func
def main(n: T.int32, A: T.Buffer((8, 4,), "float16"), B: T.Buffer((6, 16,), "float32"), I: T.Buffer((64,), "int64"), O: T.Buffer((64,), "int64")):
    T.func_attr({"from_legacy_te_schedule": T.bool(True)})
    M3 = T.Buffer((4, 32), "int64", scope="local")
    for i0 in range(2):
        with T.attr(M3, "buffer_dim_align", T.tvm_tuple(1, 2, 2)):
            with T.realize(M3[i0:i0 + 1, 1:1 + 4], ""):
                for j1 in range(4):
                    M3[i0, 1 + j1] = I[i0 * 8 + j1] + T.min(T.Cast("int64", T.int32(T.truncdiv(n, 5))), T.Cast("int64", T.int32(n)))
                for j2 in range(4):
                    O[i0 * 8 + j2] = M3[i0, 1 + 3 - j2]
