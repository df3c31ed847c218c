# A buffer that begins between two vectors, or leaves elements out, keeps the pointer to single elements.
# RUN: %relayopt --passes=tir.PointerValueTypeRewrite --validate %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(p: T.handle("int32"), q: T.handle("int32"), r: T.handle("int32")):
    A = T.decl_buffer((8,), "int32", data=p, elem_offset=2)
    B = T.decl_buffer((8,), "int32", data=q, strides=(2,))
    C = T.decl_buffer((8,), "int32", data=r, elem_offset=4)
    A[0:4] = T.Broadcast(1, 4)
    B[0:4] = T.Broadcast(1, 4)
    C[0:4] = T.Broadcast(1, 4)
# CHECK:      def main(A: T.handle("int32", "global"), B: T.handle("int32", "global"), C: T.handle("int32x4", "global")):
# CHECK-NEXT: A_1 = T.decl_buffer((8,), "int32", data=A, elem_offset=2)
# CHECK-NEXT: B_1 = T.decl_buffer((8,), "int32", data=B, strides=(2,))
# CHECK-NEXT: C_1 = T.decl_buffer((2,), "int32x4", data=C, elem_offset=1)
# CHECK-NEXT: A_1[0:4] = T.Broadcast(1, 4)
# CHECK-NEXT: B_1[0:4] = T.Broadcast(1, 4)
# CHECK-NEXT: C_1[0] = T.Broadcast(1, 4)
