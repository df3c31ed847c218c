# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def inner(A: T.Buffer((4, 16), "float32"), C: T.Buffer((4, 16), "float32")):
        T.func_attr({"from_legacy_te_schedule": T.bool(True)})
        T.realize(C[0:4, 0:16], "")
        for i in range(4):
            B = T.Buffer((4, 16), scope="shared")
            T.attr(B, "buffer_dim_align", T.tvm_tuple(0, 16, 4))
            T.realize(B[i:i + 1, 4:12], "")
            for j in range(8):
                B[i, j + 4] = A[i, j + 4] + T.float32(1)
            for j in range(8):
                C[i, j] = B[i, 11 - j]

    @T.prim_func
    def main(A: T.Buffer((4,), "float32")):
        T.func_attr({"from_legacy_te_schedule": T.bool(True)})
        B = T.Buffer((4,))
        T.realize(B[0:4], "")
        B[0] = A[0]
        A[1] = B[0]
