# Each allocation becomes a let around what it was around, and its extents the shape of the call.
# RUN: %relayopt --passes=tir.LowerVtcmAlloc %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(n: T.int32):
    for i in range(4):
        A = T.allocate([n], "int8", "global.vtcm")
        B = T.allocate([2, 4, 8], "float16", "global.vtcm")
        T.call_extern("int32", "f", A, B)
# CHECK:      for i in range(4):
# CHECK-NEXT:   A: T.handle("int8", "global.vtcm") = T.nd_mem_alloc_with_scope("global.vtcm", T.int64(1), T.tvm_stack_make_shape(n))
# CHECK-NEXT:   B: T.handle("float16", "global.vtcm") = T.nd_mem_alloc_with_scope("global.vtcm", T.int64(3), T.tvm_stack_make_shape(2, 4, 8))
# CHECK-NEXT:   T.call_extern("int32", "f", A, B)
