# B[5] is lane 1 of the second vector. A buffer of six elements has no second vector of four, so its pointer stays as it is.
# RUN: %relayopt --passes=tir.PointerValueTypeRewrite --validate %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(p: T.handle("int64"), q: T.handle("int64")):
    B = T.decl_buffer((8,), "int64", data=p)
    C = T.decl_buffer((6,), "int64", data=q)
    B[0:4] = T.Broadcast(B[5], 4)
    C[0:4] = T.Broadcast(C[5], 4)
# CHECK:      def main(B: T.handle("int64x4", "global"), C: T.handle("int64", "global")):
# CHECK-NEXT: B_1 = T.decl_buffer((2,), "int64x4", data=B)
# CHECK-NEXT: C_1 = T.decl_buffer((6,), "int64", data=C)
# CHECK-NEXT: B_1[0] = T.Broadcast(T.Shuffle([B_1[1]], [1]), 4)
# CHECK-NEXT: C_1[0:4] = T.Broadcast(C_1[5], 4)
