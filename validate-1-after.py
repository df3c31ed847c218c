# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def inner(A: T.Buffer((4, 16), "float32"), C: T.Buffer((4, 16), "float32")):
        T.func_attr({"from_legacy_te_schedule": T.bool(True)})
        T.attr(C, "realize_scope", "")
        for i in range(4):
            B = T.Buffer((1, 8), scope="shared")
            T.attr(B, "realize_scope", "")
            B.data = T.allocate([20], "float32", "shared")
            B_1 = T.Buffer((20,), data=B.data, scope="shared", align=32)
            for j in range(8):
                A_1 = T.Buffer((64,), data=A.data)
                B_1[j] = A_1[i * 16 + j + 4] + T.float32(1)
            for j in range(8):
                C_1 = T.Buffer((64,), data=C.data)
                C_1[i * 16 + j] = B_1[7 - j]

    @T.prim_func
    def main(A: T.Buffer((4,), "float32")):
        T.func_attr({"from_legacy_te_schedule": T.bool(True)})
        B = T.Buffer((4,))
        T.attr(B, "realize_scope", "")
        B.data = T.allocate([4], "float32", "global")
        B_1 = T.Buffer((4,), data=B.data, align=16)
        B_1[0] = A[0]
        A[1] = B_1[0]
