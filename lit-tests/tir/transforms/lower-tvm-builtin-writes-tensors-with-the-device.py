# RUN: %relayopt --passes=tir.LowerTVMBuiltin %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(A: T.handle("float32"), n: T.int32):
    T.func_attr({"target": T.target("llvm")})
    T.attr("default", "device_id", 3)
    T.attr("default", "device_type", 1)
    T.call_packed("f", T.tvm_stack_make_array(A, T.tvm_stack_make_shape(n, 4), 0, T.uint32(2), T.Cast("float32", 0), 8))
# CHECK-NOT:  device_id
# CHECK:      stack_array: T.handle = T.tvm_stack_alloca("array", 1)
# CHECK-NEXT: stack_shape: T.handle("int64") = T.tvm_stack_alloca("shape", 2)
# CHECK:      stack_shape_1[0] = T.Cast("int64", n)
# CHECK-NEXT: stack_shape_1[1] = T.int64(4)
# CHECK:      T.tvm_struct_set(stack_array, 0, 2, T.address_of(stack_shape_2[0]))
# CHECK-NEXT: T.tvm_struct_set(stack_array, 0, 3, T.reinterpret("handle", T.uint64(0)))
# CHECK:      T.tvm_struct_set(stack_array, 0, 8, T.uint64(32))
# CHECK-NEXT: T.tvm_struct_set(stack_array, 0, 9, 3)
# CHECK-NEXT: T.tvm_struct_set(stack_array, 0, 10, 1)
# CHECK:      T.tvm_struct_set(stack_value, 0, 12, T.tvm_struct_get(stack_array, 0, 0, "handle"))
# CHECK-NEXT: stack_tcode_1[0] = 7
