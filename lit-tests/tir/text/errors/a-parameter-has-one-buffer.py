# RUN: not %relayopt %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(a: T.handle, n: T.int32):
    A = T.match_buffer(a, (4,))
    B = T.match_buffer(a, (8,))
    # CHECK: :[[# @LINE - 1]]:24: error: no buffer can be bound to this parameter, which has a buffer already
    C = T.match_buffer(n, (8,))
    # CHECK: :[[# @LINE - 1]]:24: error: no buffer can be bound to this parameter, which is not a handle
    A[0] = T.float32(1)
