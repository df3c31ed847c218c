# Scalars come as 64-bit values, with a code each.
# RUN: %relayopt --passes=tir.MakePackedAPI %s | FileCheck %s
from tvm.script import tir as T

@T.prim_func
def main(n: T.int32, x: T.float32):
    T.func_attr({"target": T.target({"host": {"keys": ["cpu"], "kind": "llvm", "tag": ""}, "keys": ["cpu"], "kind": "llvm", "tag": ""})})
    T.evaluate(x)
# CHECK: def main(args: T.handle, arg_type_ids: T.handle("int32"), num_args: T.int32, out_ret_value: T.handle("void"), out_ret_tcode: T.handle("int32"), resource_handle: T.handle) -> T.int32:
# CHECK: "calling_conv": 1
# CHECK: assert num_args == 2, "main: num_args should be 2"
# CHECK: n: T.int32 = T.Cast("int32", T.tvm_struct_get(args, 0, 12, "int64"))
# CHECK: x: T.float32 = T.Cast("float32", T.tvm_struct_get(args, 1, 12, "float64"))
# CHECK: assert n_code == 0, "main: Expect arg[0] to be int"
# CHECK: assert x_code == 2, "main: Expect arg[1] to be float"
# CHECK: with T.attr(0, "compute_scope", "main_compute_"):
# CHECK: T.ret(0)
