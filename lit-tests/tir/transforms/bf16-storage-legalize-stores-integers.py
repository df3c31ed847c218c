# RUN: %relayopt --passes=tir.BF16ComputeLegalize,tir.BF16StorageLegalize %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.handle("bfloat16", "shared"), D: T.handle("bfloat16")):
    A_1 = T.decl_buffer((100,), "bfloat16", data=A, scope="shared")
    D_1 = T.decl_buffer((100,), "bfloat16", data=D)
    for i in range(100):
        D_1[i] = A_1[i]
        D_1[i] = A_1[i] + A_1[i]
# CHECK: def main({{.*}}: T.handle("uint16", "shared"), {{.*}}: T.handle("uint16", "global")):
# CHECK: [[A:A[_1]+]] = T.decl_buffer((100,), "uint16", data={{.*}}, scope="shared")
# CHECK: [[D:D[_1]+]][i] = [[A]][i]
# CHECK: [[D]][i] = T.Select({{.*}}, T.Cast("uint16", T.shift_right(T.reinterpret("uint32", T.reinterpret("float32", T.shift_left(T.Cast("uint32", [[A]][i]), T.uint32(16))) +
