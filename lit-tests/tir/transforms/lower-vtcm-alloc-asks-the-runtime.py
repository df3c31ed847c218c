# RUN: %relayopt --passes=tir.LowerVtcmAlloc %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main():
    A = T.allocate([64, 2], "int8", "global.vtcm")
    B = T.allocate([64], "int8", "global")
    T.call_extern("int32", "f", A, B)
# CHECK:      A: T.handle("int8", "global.vtcm") = T.nd_mem_alloc_with_scope("global.vtcm", T.int64(2), T.tvm_stack_make_shape(64, 2))
# CHECK-NEXT: B = T.allocate([64], "int8", "global")
