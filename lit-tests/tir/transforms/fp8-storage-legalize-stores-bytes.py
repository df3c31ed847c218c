# Memory of 8-bit floats becomes memory of bytes; copies between buffers need no conversion.
# RUN: %relayopt --passes=tir.FP8ComputeLegalize,tir.FP8StorageLegalize %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.handle("e4m3_float8"), D: T.handle("e4m3_float8")):
    A_1 = T.decl_buffer((100,), "e4m3_float8", data=A)
    D_1 = T.decl_buffer((100,), "e4m3_float8", data=D)
    for i in range(100):
        D_1[i] = A_1[i]
# CHECK: def main({{.*}}: T.handle("uint8", "global"), {{.*}}: T.handle("uint8", "global")):
# CHECK: [[A:A[_1]+]] = T.decl_buffer((100,), "uint8"
# CHECK: [[D:D[_1]+]] = T.decl_buffer((100,), "uint8"
# CHECK: [[D]][i] = [[A]][i]
