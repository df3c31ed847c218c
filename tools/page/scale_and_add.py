# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def scale_and_add(x: T.Buffer((4, 8), "float32"), y: T.Buffer((8,), "float32"), out: T.Buffer((4, 8), "float32")):
        scaled = T.allocate([32], "float32", "global")
        scaled_1 = T.Buffer((32,), data=scaled, scope="global")
        x_1 = T.Buffer((32,), data=x.data)
        out_1 = T.Buffer((32,), data=out.data)
        for i, j in T.grid(4, 8):
            scaled_1[i * 8 + j] = x_1[i * 8 + j] * T.float32(2.0)
        for i in T.unroll(4):
            for j in range(8):
                if i * 8 + j < 32:
                    out_1[i * 8 + j] = scaled_1[i * 8 + j] + y[j]
