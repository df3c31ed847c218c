# The callee finds shape, type and data in the struct that the caller fills.
# RUN: %relayopt --run %s | FileCheck %s
# RUN: %relayopt --run --passes=tir.LowerTVMBuiltin %s | FileCheck %s
from tvm.script import ir as I
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def callee(args: T.handle, arg_type_ids: T.handle("int32"), num_args: T.int32, out_ret_value: T.handle("void"), out_ret_tcode: T.handle("int32"), resource_handle: T.handle) -> T.int32:
        T.func_attr({"calling_conv": 1, "global_symbol": "callee", "target": T.target("llvm")})
        assert num_args == 1, "callee: num_args should be 1"
        A: T.handle = T.tvm_struct_get(args, 0, 12, "handle")
        data: T.handle("float32", "global") = T.tvm_struct_get(A, 0, 1, "handle")
        shape: T.handle("int64") = T.tvm_struct_get(A, 0, 2, "handle")
        shape_1 = T.decl_buffer((2,), "int64", data=shape)
        assert T.tvm_struct_get(A, 0, 4, "int32") == 2, "rank"
        assert T.tvm_struct_get(A, 0, 6, "uint8") == T.uint8(32), "bits"
        B = T.decl_buffer((4,), data=data)
        for i in range(4):
            B[i] = T.Cast("float32", shape_1[0] * T.int64(10) + shape_1[1])
        T.ret(0)

    @T.prim_func
    def main(A: T.Buffer((4,), "float32")):
        T.func_attr({"global_symbol": "main", "target": T.target("llvm")})
        T.attr("default", "device_id", 0)
        T.attr("default", "device_type", 1)
        T.call_packed("callee", T.tvm_stack_make_array(A.data, T.tvm_stack_make_shape(2, 3), 0, T.uint32(2), T.Cast("float32", 0), 0))
# CHECK: {{^}}A: [23, 23, 23, 23]{{$}}
