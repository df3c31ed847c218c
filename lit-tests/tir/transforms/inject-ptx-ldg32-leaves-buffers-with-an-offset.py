# The intrinsic counts from the pointer: a buffer that begins behind it, or has strides, is stored to as before.
# RUN: %relayopt --passes=tir.InjectPTXLDG32 --validate %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((8,), "float32"), c: T.handle, s: T.handle, D: T.Buffer((8,), "float32"), n: T.int32):
    C = T.match_buffer(c, (8,), offset_factor=1)
    S = T.match_buffer(s, (8,), strides=(2,))
    C[1] = T.if_then_else(n != 0, A[0], T.float32(3.5))
    S[1] = T.if_then_else(n != 0, A[0], T.float32(3.5))
    D[1] = T.if_then_else(n != 0, A[0], T.float32(3.5))
# CHECK: C[1] = T.if_then_else(n != 0, A[0], T.float32(3.5))
# CHECK: S[1] = T.if_then_else(n != 0, A[0], T.float32(3.5))
# CHECK: T.ptx_ldg32(D.data, predicate_1[0], A[addr_1[0]], addr_1[1])
