# The stacks hold what the largest call needs, and one more; a parallel loop has its own.
# RUN: %relayopt --passes=tir.LowerTVMBuiltin %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(n: T.int32):
    T.func_attr({"target": T.target("llvm")})
    T.call_packed("f", n, "s")
    T.call_packed("g", T.float32(1))
    for i in T.parallel(4):
        T.call_packed("h", i)
# CHECK:      stack_tcode: T.handle("int32") = T.tvm_stack_alloca("arg_tcode", 3)
# CHECK-NEXT: stack_tcode_1 = T.decl_buffer((T.uint64(3),), "int32", data=stack_tcode)
# CHECK-NEXT: stack_value: T.handle = T.tvm_stack_alloca("arg_value", 3)
# CHECK-NEXT: T.tvm_struct_set(stack_value, 0, 12, T.Cast("int64", n))
# CHECK-NEXT: stack_tcode_1[0] = 0
# CHECK-NEXT: T.tvm_struct_set(stack_value, 1, 12, "s")
# CHECK-NEXT: stack_tcode_1[1] = 11
# CHECK-NEXT: T.call_packed_lowered("f", stack_value, stack_tcode, 0, 2)
# CHECK-NEXT: T.tvm_struct_set(stack_value, 0, 12, T.Cast("float64", T.float32(1)))
# CHECK-NEXT: stack_tcode_1[0] = 2
# CHECK-NEXT: T.call_packed_lowered("g", stack_value, stack_tcode, 0, 1)
# CHECK-NEXT: for i in T.parallel(4):
# CHECK-NEXT:     stack_tcode_2: T.handle("int32") = T.tvm_stack_alloca("arg_tcode", 2)
