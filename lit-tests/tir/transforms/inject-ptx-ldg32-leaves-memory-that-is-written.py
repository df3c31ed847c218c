# What the cache for constants holds may be old; and the other value is stored before the load.
# RUN: %relayopt --passes=tir.InjectPTXLDG32 --validate %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32"), n: T.int32):
    C[0] = T.if_then_else(n != 0, C[0], T.float32(3.5))
    C[1] = T.if_then_else(n != 0, A[0], T.float32(3.5))
# CHECK: C[0] = T.if_then_else(n != 0, C[0], T.float32(3.5))
# CHECK: T.ptx_ldg32(C.data, predicate_1[0], A[addr_1[0]], addr_1[1])
