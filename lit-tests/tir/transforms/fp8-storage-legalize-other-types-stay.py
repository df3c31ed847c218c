# Buffers of other types, bfloat16 among them, are not touched.
# RUN: %relayopt %s -o %t
# RUN: %relayopt --passes=tir.FP8StorageLegalize %s | cmp - %t
from tvm.script import tir as T

@T.prim_func
def main(A: T.handle("bfloat16"), D: T.handle("float16")):
    A_1 = T.decl_buffer((100,), "bfloat16", data=A)
    D_1 = T.decl_buffer((100,), "float16", data=D)
    A_1[0] = A_1[1]
    D_1[0] = D_1[1]
