# RUN: %relayopt --run --validate --passes=tir.LowerIntrin %s 2>&1 | FileCheck %s
# RUN: %relayopt --passes=tir.LowerIntrin %s | FileCheck --check-prefix=TEXT %s
from tvm.script import tir as T

@T.prim_func
def main(B: T.Buffer((3,), "float32"), C: T.Buffer((3,), "int32")):
    T.func_attr({"target": T.target("vulkan")})
    for i in range(3):
        C[i] = i * 20
        B[i] = T.sqrt(T.Cast("float32", C[i])) + T.pow(T.Cast("float32", i), T.float32(2))
        C[i] = T.clz(C[i])
# TEXT: T.call_spirv_pure_glsl450(T.uint32(75), C[i])
# CHECK: 1 ok
# CHECK: B: [0, 5.4721{{[0-9]*}}, 10.3245{{[0-9]*}}]
# CHECK: C: [32, 27, 26]
