# A number that is not used is unpacked no more; the code of its type still is.
# RUN: %relayopt --passes=tir.RemoveNoOp --validate -o %t %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(args: T.handle, arg_type_ids: T.handle("int32"), num_args: T.int32, out_ret_value: T.handle("void"), out_ret_tcode: T.handle("int32"), resource_handle: T.handle) -> T.int32:
    T.func_attr({"calling_conv": 1})
    assert num_args == 2, "two arguments"
    codes = T.decl_buffer((2,), "int32", data=arg_type_ids)
    x_code: T.int32 = codes[0]
    y_code: T.int32 = codes[1]
    x: T.float32 = T.Cast("float32", T.tvm_struct_get(args, 0, 12, "float64"))
    y: T.int32 = T.Cast("int32", T.tvm_struct_get(args, 1, 12, "int64"))
    assert x_code == 2, "a float"
    assert y_code == 0, "an integer"
    T.ret(0)
# CHECK: validate: 1 pass: 1 ok
