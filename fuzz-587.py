# relayopt --validate --opt-level=4 --seed=587 --validate-edge --strict-fp --passes='tir.StorageFlatten' fuzz-587.py
from tvm.script import tir as T

@T.prim_func
def main(n: T.int32, A: T.Buffer((4, 6,), "float32"), B: T.Buffer((4,), "float16"), C: T.Buffer((16,), "float32"), I: T.Buffer((64,), "int32"), O: T.Buffer((64,), "int32")):
    T.func_attr({"from_legacy_te_schedule": T.bool(True)})
    for p0 in T.parallel(4):
        if (n >= T.int32(T.truncdiv(8, 6))):
            B[p0] = (T.float16(1.5) + (T.float16(0.5) + T.float16(2.5)))
    M4 = T.Buffer((4, 32), "int32", scope="local")
    for i1 in range(2):
        with T.attr(M4, "buffer_dim_align", T.tvm_tuple(0, 1, 2)):
            with T.realize(M4[i1:i1 + 1, i1 * 2 + 2:i1 * 2 + 2 + 1], ""):
                for j2 in range(1):
                    M4[i1, i1 * 2 + 2 + j2] = T.max(I[i1 * 8 + j2], T.Cast("int32", T.int32(T.min(2, n))))
                for j3 in range(1):
                    O[i1 * 8 + j3] = M4[i1, i1 * 2 + 2 + 0 - j3]
