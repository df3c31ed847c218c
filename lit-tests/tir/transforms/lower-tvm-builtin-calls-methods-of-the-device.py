# RUN: %relayopt --passes=tir.LowerTVMBuiltin %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main():
    T.func_attr({"target": T.target("llvm")})
    T.attr("default", "device_id", 0)
    T.attr("default", "device_type", 16)
    p: T.handle("int8", "global.vtcm") = T.nd_mem_alloc_with_scope("global.vtcm", 1, T.tvm_stack_make_shape(64))
    T.call_extern("int32", "f", p)
    T.dma_wait(0, 1)
# CHECK:      p: T.handle("int8", "global.vtcm") = T.call_packed_lowered("device_api.hexagon.alloc_nd", stack_value, stack_tcode, 0, 7)
# CHECK-NEXT: if T.isnullptr(p):
# CHECK:      T.call_extern("int32", "f", p)
# CHECK:      T.call_packed_lowered("device_api.hexagon.dma_wait", stack_value, stack_tcode, 0, 2)
# CHECK:      if T.call_packed_lowered("device_api.hexagon.free_nd", stack_value, stack_tcode, 0, 4) != 0:
