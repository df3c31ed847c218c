# RUN: not %relayopt --run %s 2>&1 | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(args: T.handle, arg_type_ids: T.handle("int32"), num_args: T.int32, out_ret_value: T.handle("void"), out_ret_tcode: T.handle("int32"), resource_handle: T.handle) -> T.int32:
    T.func_attr({"calling_conv": 1, "global_symbol": "main", "target": T.target("llvm")})
    assert num_args == 1, "main: num_args should be 1"
    arg_type_ids_1 = T.decl_buffer((1,), "int32", data=arg_type_ids)
    n_code: T.int32 = arg_type_ids_1[0]
    n: T.int32 = T.Cast("int32", T.tvm_struct_get(args, 0, 12, "int64"))
    assert n_code == 2, "main: Expect arg[0] to be float"
    T.ret(0)
# CHECK: :11:5: error: assertion failed: main: Expect arg[0] to be float [assertion-failed]
